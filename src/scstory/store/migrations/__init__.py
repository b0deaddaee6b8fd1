"""The schema, step by step: NNNN_name.sql brings a database from version NNNN-1 to NNNN."""
