-- What was accepted and waits for its decision, in the order it came.
CREATE TABLE inbox (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    published TEXT NOT NULL,
    title     TEXT NOT NULL,
    text      TEXT NOT NULL,
    url       TEXT,
    source    TEXT,
    language  TEXT
);

-- What could not be decided, and why. It waits to be tried again.
CREATE TABLE parked (
    id        TEXT PRIMARY KEY,
    published TEXT NOT NULL,
    title     TEXT NOT NULL,
    text      TEXT NOT NULL,
    url       TEXT,
    source    TEXT,
    language  TEXT,
    reason    TEXT NOT NULL,
    since     TEXT NOT NULL
);

-- Where else an article appeared: copies of it, which count once and are not decided.
CREATE TABLE sources (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    article   TEXT NOT NULL,
    published TEXT NOT NULL,
    title     TEXT NOT NULL,
    url       TEXT,
    source    TEXT
);
CREATE INDEX sources_by_article ON sources (article);

-- The article that a page, named by its canonical URL, holds.
CREATE TABLE urls (
    url     TEXT PRIMARY KEY,
    article TEXT NOT NULL
);

-- Keys that near-identical texts share, of articles that are not too old to be repeated.
CREATE TABLE text_keys (
    key       INTEGER NOT NULL,
    article   TEXT NOT NULL,
    published TEXT NOT NULL,
    PRIMARY KEY (key, article)
);
CREATE INDEX text_keys_by_time ON text_keys (published);

-- What happened to stories, the last so many of it.
CREATE TABLE events (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    story    INTEGER NOT NULL,
    articles TEXT NOT NULL,
    time     TEXT NOT NULL,
    becomes  INTEGER
);

-- Stories that became part of another.
CREATE TABLE redirects (
    old INTEGER PRIMARY KEY,
    new INTEGER NOT NULL
);
CREATE INDEX redirects_by_new ON redirects (new);

-- Articles that came when their time had left the window; articles whose copies are recognised.
ALTER TABLE articles ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
ALTER TABLE articles ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX articles_not_indexed ON articles (indexed) WHERE indexed = 0;
CREATE INDEX articles_by_time ON articles (published);

-- How many commits there were. There is one row.
CREATE TABLE head (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    commits INTEGER NOT NULL
);
INSERT INTO head (only, commits) VALUES (1, 0);

-- The engine in parts, so that a commit writes only those that changed.
CREATE TABLE engine_parts (
    name  TEXT PRIMARY KEY,
    state BLOB NOT NULL
);
INSERT INTO engine_parts (name, state) SELECT 'state', state FROM engine;
DROP TABLE engine;
