-- Every article is now indexed when it is accepted; articles.indexed is no longer used.
DROP INDEX articles_not_indexed;
