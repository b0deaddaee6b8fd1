-- The index holds what search_text makes of a text: where no spaces divide words, each character is
-- a word, and letters are compared without vowel signs and variants.
DROP TRIGGER article_search_in;
DROP TRIGGER article_search_out;
DROP TRIGGER article_search_out_in;
DROP TABLE article_search;
CREATE VIEW article_texts (sequence, title, text) AS
    SELECT sequence, search_text(title), search_text(text) FROM articles;
CREATE VIRTUAL TABLE article_search USING fts5 (
    title, text, content = 'article_texts', content_rowid = 'sequence',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE TRIGGER article_search_in AFTER INSERT ON articles
    BEGIN INSERT INTO article_search (rowid, title, text)
    VALUES (new.sequence, search_text(new.title), search_text(new.text)); END;
CREATE TRIGGER article_search_out AFTER DELETE ON articles
    BEGIN INSERT INTO article_search (article_search, rowid, title, text)
    VALUES ('delete', old.sequence, search_text(old.title), search_text(old.text)); END;
CREATE TRIGGER article_search_out_in AFTER UPDATE OF title, text ON articles
    BEGIN INSERT INTO article_search (article_search, rowid, title, text)
    VALUES ('delete', old.sequence, search_text(old.title), search_text(old.text)); INSERT INTO
    article_search (rowid, title, text) VALUES (new.sequence, search_text(new.title), search_text(new.text)); END;
INSERT INTO article_search (article_search) VALUES ('rebuild');

DROP TRIGGER story_search_in;
DROP TRIGGER story_search_out;
DROP TRIGGER story_search_out_in;
DROP TABLE story_search;
DROP VIEW story_texts;
CREATE VIEW story_texts (id, title, summary, keywords) AS SELECT id, search_text(title),
    search_text((SELECT group_concat(json_extract(value, '$[0]'), ' ')
        FROM json_each(CASE WHEN json_valid(summary) THEN summary ELSE '[]' END))),
    search_text((SELECT group_concat(value, ' ')
        FROM json_each(CASE WHEN json_valid(keywords) THEN keywords ELSE '[]' END))) FROM stories;
CREATE VIRTUAL TABLE story_search USING fts5 (
    title, summary, keywords,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE TRIGGER story_search_in AFTER INSERT ON stories
    BEGIN INSERT INTO story_search (rowid, title, summary, keywords)
    SELECT id, title, summary, keywords FROM story_texts WHERE id = new.id; END;
CREATE TRIGGER story_search_out AFTER DELETE ON stories
    BEGIN DELETE FROM story_search WHERE rowid = old.id; END;
CREATE TRIGGER story_search_out_in AFTER UPDATE OF title, summary, keywords ON stories
    WHEN (old.title, old.summary, old.keywords) IS NOT (new.title, new.summary, new.keywords)
    BEGIN DELETE FROM story_search WHERE rowid = old.id; INSERT INTO story_search
    (rowid, title, summary, keywords) SELECT id, title, summary, keywords
    FROM story_texts WHERE id = new.id; END;
INSERT INTO story_search (rowid, title, summary, keywords)
    SELECT id, title, summary, keywords FROM story_texts;
