-- As before, but the rows whose place a turn takes are looked up one by one, by their keys. Joined, and planned while the
-- table was empty, each turn of a first import compared its rows with all rows there were, until there were statistics.
CREATE OR REPLACE FUNCTION keep_rows(entry journal) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    WITH kept AS MATERIALIZED (SELECT * FROM rows_left(entry.changes)),
    over AS (
        UPDATE row_versions v SET system_to = entry.at
        FROM kept r
        CROSS JOIN LATERAL (
            SELECT o.ctid AS place FROM row_versions o
            WHERE o.user_id = entry.user_id AND o.noun = r.noun AND o.id = r.id AND o.key = r.key AND o.system_to IS NULL
            OFFSET 0) one
        WHERE v.ctid = one.place)
    INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from)
    SELECT entry.user_id, r.noun, r.id, r.key, entry.version, r."row", entry.at FROM kept r WHERE r."row" IS NOT NULL;
END $$;
