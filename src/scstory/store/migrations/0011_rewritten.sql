-- Summaries that a language model rewrote, each with what it was made of: they are shown as long as
-- the story's own summary is the same.
CREATE TABLE rewritten (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    story     INTEGER NOT NULL UNIQUE,
    basis     TEXT NOT NULL,
    sentences TEXT NOT NULL,
    model     TEXT NOT NULL,
    made      TEXT NOT NULL
);
