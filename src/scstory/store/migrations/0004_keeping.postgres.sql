-- Who commits, until when by the server's clock, and with which number. There is one row. The
-- session tells one who was killed from one who is silent; it says nothing of another server run.
CREATE TABLE lease (
    one     SMALLINT PRIMARY KEY CHECK (one = 1),
    holder  TEXT NOT NULL,
    token   BIGINT NOT NULL,
    expires TIMESTAMPTZ NOT NULL,
    session BIGINT NOT NULL,
    server  TIMESTAMPTZ NOT NULL
);
INSERT INTO lease (one, holder, token, expires, session, server)
    VALUES (1, '', 0, '-infinity', 0, '-infinity');

-- The latest transactions that wrote, for those who did not hear how their own ended.
CREATE TABLE writes (
    mark TEXT PRIMARY KEY,
    time TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX writes_by_time ON writes (time);
