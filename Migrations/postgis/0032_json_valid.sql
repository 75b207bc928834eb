-- Its block with EXCEPTION begins a subtransaction, which PostgreSQL refuses in a parallel query.
ALTER FUNCTION json_valid(text) PARALLEL UNSAFE;

UPDATE schema_version SET number = 32;
