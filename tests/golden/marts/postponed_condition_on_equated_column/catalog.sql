CREATE TABLE ticket (
  ticket_id INT NOT NULL PRIMARY KEY,
  canonical_id INT NOT NULL
);

CREATE TABLE comment (
  comment_id INT NOT NULL PRIMARY KEY,
  ticket_id INT NOT NULL REFERENCES ticket (ticket_id),
  body STRING NOT NULL
);
