CREATE INDEX sources_by_source ON sources (source);
