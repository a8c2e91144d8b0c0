CREATE TABLE agent (
  agent_id INT NOT NULL PRIMARY KEY,
  agent_name STRING NOT NULL
);

CREATE TABLE ticket (
  ticket_id INT NOT NULL PRIMARY KEY,
  subject STRING NOT NULL,
  agent_id INT REFERENCES agent (agent_id)
);
