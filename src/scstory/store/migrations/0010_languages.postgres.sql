-- The store writes the words of all articles and stories again after this: where no spaces divide
-- words, each character is a word.
DELETE FROM words;
