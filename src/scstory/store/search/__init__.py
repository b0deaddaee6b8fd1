"""Search: the language of queries, and how stories are found, ranked and excerpted."""
