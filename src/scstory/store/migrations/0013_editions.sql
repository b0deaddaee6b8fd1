-- The language of a story's title and summary, and both in the other languages of its articles.
ALTER TABLE stories ADD COLUMN language TEXT;
ALTER TABLE stories ADD COLUMN editions TEXT NOT NULL DEFAULT '[]';
CREATE INDEX stories_editions ON stories (id) WHERE editions <> '[]';
