-- The address of an article's image, where its feed names one.
ALTER TABLE articles ADD COLUMN image TEXT;
ALTER TABLE inbox ADD COLUMN image TEXT;
ALTER TABLE parked ADD COLUMN image TEXT;
