-- The lease: which process is the writer, until when by the server's clock, and its token. There is
-- one row. The session tells a holder that was killed from one that is silent; after a restart of
-- the server it means nothing.
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

-- The latest transactions that wrote, for a process that lost its connection during COMMIT.
CREATE TABLE writes (
    mark TEXT PRIMARY KEY,
    time TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX writes_by_time ON writes (time);
