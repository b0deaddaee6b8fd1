-- What people corrected or asked to have corrected, in order, and what became of it.
CREATE TABLE corrections (
    number   INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL,
    story    INTEGER,
    target   INTEGER,
    articles TEXT NOT NULL,
    title    TEXT,
    undoes   INTEGER,
    seen     INTEGER,
    editor   TEXT NOT NULL,
    asked    TEXT NOT NULL,
    status   TEXT NOT NULL,
    answered TEXT,
    answer   TEXT NOT NULL,
    effect   TEXT NOT NULL
);
CREATE INDEX corrections_by_status ON corrections (status, kind);
-- The stories that a correction was about, and the event that told of it.
CREATE TABLE corrected (
    story      INTEGER NOT NULL,
    correction INTEGER NOT NULL,
    event      INTEGER NOT NULL,
    PRIMARY KEY (story, correction)
);
ALTER TABLE stories ADD COLUMN title_by TEXT;
ALTER TABLE stories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stories ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assignments ADD COLUMN correction INTEGER;
