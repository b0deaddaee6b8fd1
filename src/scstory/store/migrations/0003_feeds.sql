-- Feeds that are followed, and how that has gone so far.
CREATE TABLE feeds (
    url      TEXT PRIMARY KEY,
    title    TEXT NOT NULL,
    etag     TEXT,
    modified TEXT,
    fetched  TEXT,
    found    TEXT,
    interval REAL NOT NULL,
    errors   INTEGER NOT NULL,
    error    TEXT,
    due      TEXT
);

-- Items of those feeds that need no second look, or how often one was tried.
CREATE TABLE feed_items (
    feed  TEXT NOT NULL REFERENCES feeds (url) ON DELETE CASCADE,
    item  TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seen  TEXT NOT NULL,
    PRIMARY KEY (feed, item)
);
