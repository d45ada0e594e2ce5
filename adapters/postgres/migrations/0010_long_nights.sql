-- A night may give tens of thousands of facts a new version. What guards them is asked once a statement, by the primary
-- key: the index of ranges by text that did it before cost a millisecond a version, ten times the version itself.
ALTER TABLE fact_versions DROP CONSTRAINT one_belief_at_a_time;

-- Closing a version only shortens it, so what can overlap is new. Plans are kept for the life of a connection, hence no scans.
CREATE FUNCTION keep_apart() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM fresh n
               JOIN fact_versions o ON o.user_id = n.user_id AND o.fact_id = n.fact_id AND o.version <> n.version
               WHERE tstzrange(o.system_from, o.system_to) && tstzrange(n.system_from, n.system_to)) THEN
        RAISE EXCEPTION 'versions of a fact must not overlap' USING ERRCODE = 'exclusion_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER one_belief_at_a_time AFTER INSERT ON fact_versions
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION keep_apart();

-- As before; comparing rows costs a tenth of comparing them as JSON.
CREATE OR REPLACE FUNCTION keep_versions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE closed fact_versions := OLD;
BEGIN
    -- A version may only be closed, once. Everything else is a new version, or known_as_of would lie.
    closed.system_to := NEW.system_to;
    IF OLD.system_to IS NOT NULL OR NEW.system_to IS NULL OR NEW IS DISTINCT FROM closed THEN
        RAISE EXCEPTION 'fact versions are never edited, only closed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

-- As before, but what a turn left behind is taken out of its entry once: an entry of a night holds hundreds of rows.
CREATE OR REPLACE FUNCTION keep_rows(entry journal) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    WITH kept AS MATERIALIZED (SELECT * FROM rows_left(entry.changes)),
    over AS (
        UPDATE row_versions v SET system_to = entry.at FROM kept r
        WHERE v.user_id = entry.user_id AND v.noun = r.noun AND v.id = r.id AND v.key = r.key AND v.system_to IS NULL)
    INSERT INTO row_versions (user_id, noun, id, key, turn, row, system_from)
    SELECT entry.user_id, r.noun, r.id, r.key, entry.version, r."row", entry.at FROM kept r WHERE r."row" IS NOT NULL;
END $$;

-- When a night was begun: the worker lets a memory be while a night of it runs, and takes it up again if that one died.
-- Unknown of nights that were before there was this column.
ALTER TABLE nights ADD COLUMN begun_at timestamptz;
