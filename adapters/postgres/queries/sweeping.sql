-- Sweeping: maintenance outside transactions. See sweeping.py for the rights it needs.

-- name: alone
-- "swep": one sweep of a database at a time; the lock goes with the connection.
SELECT pg_try_advisory_lock(x'73776570'::int);

-- name: older
-- Transactions in this database that began before.
SELECT count(*) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database() AND xact_start < %(begun)s AND backend_type = 'client backend';

-- name: tables
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
ORDER BY pg_total_relation_size(c.oid);

-- name: clears
SELECT to_regprocedure('pg_catalog.pg_clear_attribute_stats(text,text,text,boolean)') IS NOT NULL;

-- name: clear
-- Samples of a table and of what its indexes compute.
SELECT pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text, s.inherited)
FROM pg_stats s
JOIN pg_class c ON c.relname = s.tablename AND c.relnamespace = s.schemaname::regnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE s.schemaname = current_schema() AND coalesce(i.indrelid, c.oid) = %(name)s::text::regclass;

-- name: emit
-- A segment is switched only if something was written to it.
SELECT pg_logical_emit_message(false, 'memoray', 'swept');

-- name: switch
SELECT pg_switch_wal();

-- name: old_segments
-- Files of the log whose last byte was written before: those still needed, and those renamed to be used again.
SELECT count(*) FROM pg_ls_waldir() WHERE modification < %(begun)s;
