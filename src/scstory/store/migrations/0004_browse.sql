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

CREATE INDEX events_by_story ON events (story, number);
CREATE INDEX articles_by_source ON articles (source);
CREATE INDEX stories_by_last ON stories (last_seen, id);
CREATE INDEX stories_by_size ON stories (size, id);

-- Who is told of events, and how far each has been told.
CREATE TABLE webhooks (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    url       TEXT NOT NULL,
    secret    TEXT NOT NULL,
    kinds     TEXT NOT NULL,
    created   TEXT NOT NULL,
    delivered INTEGER NOT NULL,
    failures  INTEGER NOT NULL DEFAULT 0,
    next_try  TEXT,
    problem   TEXT
);
