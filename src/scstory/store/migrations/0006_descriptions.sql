-- What a story says: its summary, how it developed, its earlier titles, and the article of its title.
ALTER TABLE stories ADD COLUMN summary TEXT NOT NULL DEFAULT '[]';
ALTER TABLE stories ADD COLUMN milestones TEXT NOT NULL DEFAULT '[]';
ALTER TABLE stories ADD COLUMN headlines TEXT NOT NULL DEFAULT '[]';
ALTER TABLE stories ADD COLUMN title_article TEXT;
