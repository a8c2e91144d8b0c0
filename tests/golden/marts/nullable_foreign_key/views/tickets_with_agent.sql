CREATE VIEW tickets_with_agent AS
SELECT ticket.ticket_id, ticket.subject, agent.agent_name
FROM ticket
JOIN agent ON ticket.agent_id = agent.agent_id;
