-- Words as SQLite's index has them: stems of English words, and no word is too common.
CREATE TEXT SEARCH DICTIONARY scstory_stem (TEMPLATE = snowball, Language = porter);
CREATE TEXT SEARCH CONFIGURATION scstory (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION scstory
    ALTER MAPPING FOR asciiword, word WITH scstory_stem;

-- Without accents and punctuation. Of a very long text the beginning: an index has its limits.
ALTER TABLE articles ADD COLUMN words tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('scstory', regexp_replace(regexp_replace(normalize(left(title, 10000),
        NFKD), '[\u0300-\u036f]', '', 'g'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]', ' ', 'g')), 'A') ||
    setweight(to_tsvector('scstory', regexp_replace(regexp_replace(normalize(left(text, 100000),
        NFKD), '[\u0300-\u036f]', '', 'g'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]', ' ', 'g')), 'B')
) STORED;
CREATE INDEX articles_by_words ON articles USING gin (words);
