"""The schema, step by step: NNNN_name.sql brings a database from version NNNN-1 to NNNN.

It is written once, as SQLite reads it; PostgreSQL's names of types are put in as it is read. What
only one of them has is in NNNN_name.sqlite.sql or NNNN_name.postgres.sql.
"""
