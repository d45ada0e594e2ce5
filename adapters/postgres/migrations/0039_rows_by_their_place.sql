-- As before, but the row whose place a turn takes is updated by itself, by its place in the table. Joined with the table,
-- and behind the wall of a user whom the statistics do not know yet, all rows of the user looked cheaper than a few places
-- ("one row"), and each turn read everything that was known. A single place is cheaper than any index.
CREATE OR REPLACE FUNCTION keep_rows(entry journal) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_sort = off SET enable_incremental_sort = off AS $$
DECLARE
    taken tid;
BEGIN
    FOR taken IN
        SELECT one.place FROM rows_left(entry.changes) r
        CROSS JOIN LATERAL (
            SELECT o.ctid AS place FROM row_versions o
            WHERE o.user_id = entry.user_id AND o.noun = r.noun AND o.id = r.id AND o.key >= r.key AND o.key <= r.key
              AND o.system_to IS NULL
            ORDER BY o.key OFFSET 0) one
    LOOP
        UPDATE row_versions SET system_to = entry.at WHERE ctid = taken;
    END LOOP;
    INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from)
    SELECT entry.user_id, r.noun, r.id, r.key, entry.version, r."row", entry.at FROM rows_left(entry.changes) r
    WHERE r."row" IS NOT NULL;
END $$;
