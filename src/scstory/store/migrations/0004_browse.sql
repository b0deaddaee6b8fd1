CREATE INDEX events_by_story ON events (story, number);
CREATE INDEX articles_by_source ON articles (source);
CREATE INDEX stories_by_last ON stories (last_seen, id);
CREATE INDEX stories_by_size ON stories (size, id);

-- The addresses that receive events, and the last event that each has received.
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
