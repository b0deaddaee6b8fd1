-- Articles as they came, in the order they were committed.
CREATE TABLE articles (
    sequence  INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    published TEXT NOT NULL,
    title     TEXT NOT NULL,
    text      TEXT NOT NULL,
    url       TEXT,
    source    TEXT,
    language  TEXT
);

-- Sentence vectors, only while the article is in the window: float32, rows below each other.
CREATE TABLE vectors (
    article   TEXT PRIMARY KEY REFERENCES articles (id),
    position  INTEGER NOT NULL,
    sentences TEXT NOT NULL,
    vectors   BLOB NOT NULL
);

-- Stories as a reader sees them; an inactive one as it was when it left the window.
CREATE TABLE stories (
    id            INTEGER PRIMARY KEY,
    title         TEXT NOT NULL,
    keywords      TEXT NOT NULL,
    key_sentences TEXT NOT NULL,
    first_seen    TEXT NOT NULL,
    last_seen     TEXT NOT NULL,
    size          INTEGER NOT NULL,
    confidence    REAL NOT NULL,
    active        INTEGER NOT NULL
);
CREATE INDEX stories_by_time ON stories (active, last_seen);

-- The decision on each article, with its reasons.
CREATE TABLE assignments (
    article    TEXT PRIMARY KEY REFERENCES articles (id),
    story      INTEGER NOT NULL REFERENCES stories (id),
    confidence REAL NOT NULL,
    new        INTEGER NOT NULL,
    runners_up TEXT NOT NULL,
    parts      TEXT NOT NULL,
    weights    TEXT NOT NULL
);
CREATE INDEX assignments_by_story ON assignments (story);

-- The engine after the last slide, without the vectors above. There is one row.
CREATE TABLE engine (
    only  INTEGER PRIMARY KEY CHECK (only = 1),
    state BLOB NOT NULL
);
