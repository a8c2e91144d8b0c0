CREATE VIEW firefox_pages AS
SELECT page_view.url, visitor.country
FROM page_view
JOIN visitor ON page_view.visitor_id = visitor.visitor_id
WHERE visitor.browser = 'firefox';
