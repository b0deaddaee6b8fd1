-- Every word as it is written, without stems: a search names the forms of a word itself. The store
-- writes the words of articles and stories, as the locale of a database would change them.
DROP INDEX articles_by_words;
ALTER TABLE articles ALTER COLUMN words DROP EXPRESSION;
DROP TEXT SEARCH CONFIGURATION scstory;
DROP TEXT SEARCH DICTIONARY scstory_stem;
CREATE INDEX articles_by_words ON articles USING gin (words);
ALTER TABLE stories ADD COLUMN words tsvector;
CREATE INDEX stories_by_words ON stories USING gin (words);

-- Each word once, for suggestions.
CREATE TABLE words (word TEXT COLLATE "C" PRIMARY KEY);
