CREATE TABLE visitor (
  visitor_id INT NOT NULL PRIMARY KEY,
  country STRING NOT NULL,
  browser STRING NOT NULL
);

CREATE TABLE page_view (
  page_view_id INT NOT NULL PRIMARY KEY,
  visitor_id INT NOT NULL REFERENCES visitor (visitor_id),
  url STRING NOT NULL
);
