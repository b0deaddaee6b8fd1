-- The section of a feed: the folders that it was in when its list was imported.
ALTER TABLE feeds ADD COLUMN section TEXT NOT NULL DEFAULT '';

-- The stories, queries and outlets that are followed or muted. A target is a number, a query or a name.
CREATE TABLE follows (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL,
    target  TEXT NOT NULL,
    muted   INTEGER NOT NULL,
    created TEXT NOT NULL,
    UNIQUE (kind, target)
);

-- A webhook may be of one story, or of the stories that a query finds.
ALTER TABLE webhooks ADD COLUMN story INTEGER;
ALTER TABLE webhooks ADD COLUMN query TEXT;
