-- Views above the stories, made when slides close. Stories are named by the numbers that they had
-- then; readers follow the redirects of those that were merged, so that an undone merge is undone
-- here as well.

-- What each story is about, for as long as others may be linked to it, and the terms by which it is
-- found.
CREATE TABLE outlines (
    story    INTEGER PRIMARY KEY,
    last     REAL NOT NULL,
    keywords TEXT NOT NULL,
    vector   BLOB NOT NULL,
    columns  BLOB NOT NULL,
    weights  BLOB NOT NULL
);
CREATE INDEX outlines_by_last ON outlines (last);
CREATE TABLE outline_keys (
    term  INTEGER NOT NULL,
    story INTEGER NOT NULL,
    last  REAL NOT NULL,
    PRIMARY KEY (term, story)
);
CREATE INDEX outline_keys_by_story ON outline_keys (story);

-- The thread of each story that is in one: the number of one of its stories.
CREATE TABLE threads (
    story    INTEGER PRIMARY KEY,
    thread   INTEGER NOT NULL,
    linked   INTEGER NOT NULL,
    likeness REAL NOT NULL
);
CREATE INDEX threads_by_thread ON threads (thread);

-- Topics, and the topic of each story that has one.
CREATE TABLE sections (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    keywords TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE TABLE section_stories (
    story   INTEGER PRIMARY KEY,
    section INTEGER NOT NULL
);
CREATE INDEX section_stories_by_section ON section_stories (section);

-- The other stories that an article is about, and the sentences that say so.
CREATE TABLE mentions (
    article   TEXT NOT NULL,
    story     INTEGER NOT NULL,
    likeness  REAL NOT NULL,
    sentences TEXT NOT NULL,
    PRIMARY KEY (article, story)
);
CREATE INDEX mentions_by_story ON mentions (story);

-- The sum of the vectors of all articles so far, and how many there were; how many stories there
-- were when sections were last found, how many there have been, and
-- when sections last faded; how many pairs of articles of a story were compared, and how alike all of
-- them were, added up.
CREATE TABLE overview (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    vector   BLOB NOT NULL,
    articles INTEGER NOT NULL,
    stories  INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    faded    REAL NOT NULL,
    pairs    INTEGER NOT NULL,
    pairs_likeness REAL NOT NULL
);

-- The same by the present numbers of stories.
CREATE VIEW thread_members (story, thread, linked) AS
    SELECT t.story, t.thread, t.linked FROM threads t
    WHERE NOT EXISTS (SELECT 1 FROM redirects r WHERE r.old = t.story)
    UNION ALL SELECT r.new, t.thread, t.linked FROM threads t JOIN redirects r ON r.old = t.story
    WHERE NOT EXISTS (SELECT 1 FROM threads own WHERE own.story = r.new);
CREATE VIEW section_members (story, section) AS
    SELECT v.story, v.section FROM section_stories v
    WHERE NOT EXISTS (SELECT 1 FROM redirects r WHERE r.old = v.story)
    UNION ALL SELECT r.new, v.section FROM section_stories v JOIN redirects r ON r.old = v.story
    WHERE NOT EXISTS (SELECT 1 FROM section_stories own WHERE own.story = r.new);
CREATE VIEW article_mentions (article, story, likeness, sentences) AS
    SELECT m.article, coalesce(r.new, m.story), m.likeness, m.sentences FROM mentions m
    LEFT JOIN redirects r ON r.old = m.story JOIN assignments d ON d.article = m.article
    WHERE d.story <> coalesce(r.new, m.story);
