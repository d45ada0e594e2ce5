-- A first night changes half of all rows. What guards them is asked once a statement, not once a row (decision 0039).

-- The version that follows comes with the statement that closes the one before: what it leaves behind is asked at its end.
DROP TRIGGER fact_versions_one_open ON fact_versions;
DROP FUNCTION keep_one_open();
CREATE FUNCTION keep_open() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM closed c WHERE NOT EXISTS (
                   SELECT 1 FROM fact_versions o
                   WHERE o.user_id = c.user_id AND o.fact_id = c.fact_id AND o.system_to IS NULL)) THEN
        RAISE EXCEPTION 'a fact must keep one open version' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER fact_versions_one_open AFTER UPDATE ON fact_versions
    REFERENCING NEW TABLE AS closed FOR EACH STATEMENT EXECUTE FUNCTION keep_open();

-- Closing a version is all that ever happens to one: the function that refuses the rest is called only if there is a rest.
-- A migration that adds a column to the table calls this again, or the column could be edited.
CREATE FUNCTION guard_versions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_row text; new_row text;
BEGIN
    SELECT string_agg(format('OLD.%I', attname), ', ' ORDER BY attnum), string_agg(format('NEW.%I', attname), ', ' ORDER BY attnum)
    INTO old_row, new_row FROM pg_attribute
    WHERE attrelid = 'fact_versions'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'system_to';
    EXECUTE format('CREATE OR REPLACE TRIGGER fact_versions_kept BEFORE UPDATE ON fact_versions FOR EACH ROW
        WHEN (OLD.system_to IS NOT NULL OR NEW.system_to IS NULL OR (%s) IS DISTINCT FROM (%s))
        EXECUTE FUNCTION keep_versions()', old_row, new_row);
END $$;
SELECT guard_versions();

-- Rows of the time machine are written by the journal alone, so a turn they might lack need not be looked up for each of
-- them; that they leave with it is a trigger of the journal as well.
ALTER TABLE row_versions DROP CONSTRAINT row_versions_user_id_turn_fkey;
CREATE FUNCTION drop_rows() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM row_versions v USING gone g WHERE v.user_id = g.user_id AND v.turn = g.version;
    RETURN NULL;
END $$;
CREATE TRIGGER journal_rows_gone AFTER DELETE ON journal
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_rows();

-- Tier and state are in no index: while a page has room for both, the next row of an entity needs no new index entries.
ALTER TABLE entities SET (fillfactor = 50);

-- What a turn asks before it writes, in one journey: taken, or why not. What it locks is held until commit: no newer writer
-- can claim the shard between the check and the write. A writer that is paused in between is thrown out by the server
-- after ten seconds, or its successor would wait for as long as the pause.
CREATE FUNCTION take_turn(of_shard text, of_epoch bigint, whose text, believed bigint, command text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
    PERFORM 1 FROM shards s WHERE s.shard = of_shard AND s.epoch = of_epoch FOR SHARE;
    IF NOT FOUND THEN RETURN 'fenced'; END IF;
    PERFORM 1 FROM journal j WHERE j.user_id = whose AND j.command_id = command;
    IF FOUND THEN RETURN 'known'; END IF;
    INSERT INTO users (user_id) VALUES (whose) ON CONFLICT DO NOTHING;
    INSERT INTO readers (scope, user_id) VALUES ('user:' || whose, whose) ON CONFLICT DO NOTHING;
    -- the optimistic check: only on top of the version the turn was decided on
    UPDATE users u SET version = u.version + 1 WHERE u.user_id = whose AND u.version = believed;
    IF NOT FOUND THEN RETURN 'stale'; END IF;
    RETURN 'taken';
END $$;
