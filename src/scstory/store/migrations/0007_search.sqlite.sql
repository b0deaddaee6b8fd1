-- Every word as it is written, without stems: a search names the forms of a word itself.
DROP TRIGGER article_search_in;
DROP TRIGGER article_search_out;
DROP TRIGGER article_search_out_in;
DROP TABLE article_search;
CREATE VIRTUAL TABLE article_search USING fts5 (
    title, text, content = 'articles', content_rowid = 'sequence',
    tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER article_search_in AFTER INSERT ON articles
    BEGIN INSERT INTO article_search (rowid, title, text)
    VALUES (new.sequence, new.title, new.text); END;
CREATE TRIGGER article_search_out AFTER DELETE ON articles
    BEGIN INSERT INTO article_search (article_search, rowid, title, text)
    VALUES ('delete', old.sequence, old.title, old.text); END;
CREATE TRIGGER article_search_out_in AFTER UPDATE OF title, text ON articles
    BEGIN INSERT INTO article_search (article_search, rowid, title, text)
    VALUES ('delete', old.sequence, old.title, old.text); INSERT INTO article_search
    (rowid, title, text) VALUES (new.sequence, new.title, new.text); END;
INSERT INTO article_search (article_search) VALUES ('rebuild');

-- What is searched of a story: its texts without JSON, and their words.
CREATE VIEW story_texts (id, title, summary, keywords) AS SELECT id, title,
    (SELECT group_concat(json_extract(value, '$[0]'), ' ')
        FROM json_each(CASE WHEN json_valid(summary) THEN summary ELSE '[]' END)),
    (SELECT group_concat(value, ' ')
        FROM json_each(CASE WHEN json_valid(keywords) THEN keywords ELSE '[]' END)) FROM stories;
CREATE VIRTUAL TABLE story_search USING fts5 (
    title, summary, keywords, tokenize = 'unicode61 remove_diacritics 2'
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

-- Each word once, for suggestions.
CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE indexed_words USING fts5vocab (article_search, row);
INSERT INTO words (word) SELECT term FROM indexed_words
    WHERE length(term) BETWEEN 3 AND 40 AND term NOT GLOB '*[0-9]*';
DROP TABLE indexed_words;
