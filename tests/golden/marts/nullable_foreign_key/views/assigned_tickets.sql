CREATE VIEW assigned_tickets AS
SELECT ticket.ticket_id, ticket.subject
FROM ticket
JOIN agent ON ticket.agent_id = agent.agent_id;
