-- As before, but by one index whatever the planner believes. To a table that has grown since its last ANALYZE it gives a
-- few rows a user, and the index by user and turn looked as good as the primary key: every row of the user was read for
-- each row that a turn changed. Only the primary key gives rows in the order of `key` without a sort, and sorts are off;
-- a bound above and one below mean equality, but an order by what is equal would be left out.
CREATE OR REPLACE FUNCTION keep_rows(entry journal) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_sort = off SET enable_incremental_sort = off AS $$
BEGIN
    WITH kept AS MATERIALIZED (SELECT * FROM rows_left(entry.changes)),
    over AS (
        UPDATE row_versions v SET system_to = entry.at
        FROM kept r
        CROSS JOIN LATERAL (
            SELECT o.ctid AS place FROM row_versions o
            WHERE o.user_id = entry.user_id AND o.noun = r.noun AND o.id = r.id AND o.key >= r.key AND o.key <= r.key
              AND o.system_to IS NULL
            ORDER BY o.key OFFSET 0) one
        WHERE v.ctid = one.place)
    INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from)
    SELECT entry.user_id, r.noun, r.id, r.key, entry.version, r."row", entry.at FROM kept r WHERE r."row" IS NOT NULL;
END $$;
