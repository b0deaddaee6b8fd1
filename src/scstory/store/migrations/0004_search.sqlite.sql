-- Words of the articles, for search. Kept in step by the triggers below.
CREATE VIRTUAL TABLE article_search USING fts5 (
    title, text, content = 'articles', content_rowid = 'sequence',
    tokenize = 'porter unicode61 remove_diacritics 2'
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
