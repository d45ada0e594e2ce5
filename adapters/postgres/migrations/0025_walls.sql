-- Walls: row security as a second wall behind the views (decision 0071). A transaction says whose it is; the product's own
-- role sees no rows but theirs, and none at all before that was said. The first wall stays what it was: every statement
-- names the user and the scopes it asks for, and the functions above look through the caller's view.

-- Two settings of a transaction say whose it is: `memoray.user`, and `memoray.scopes` as a text array. As plain comparisons
-- of a column they cost nothing: together with the statement's own `user_id = ...` the planner asks once a statement whether
-- both name the same user, and looks rows up as before.
CREATE FUNCTION put_wall(of_table regclass, own text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_table);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', of_table);  -- the owner's rows are not its own either
    EXECUTE format('CREATE POLICY own ON %s USING (%s)', of_table, own);
    -- an owner that is no superuser migrates and dumps what is everybody's, and says so
    EXECUTE format('CREATE POLICY owner ON %s TO CURRENT_USER USING (%s)', of_table,
                   $all$ current_setting('memoray.everybody', true) = 'on' $all$);
END $$;

-- A migration that adds a table of users' rows calls one of these.
CREATE FUNCTION wall_by_user(of_table regclass) RETURNS void LANGUAGE sql AS $$
    SELECT put_wall(of_table, $own$ user_id = nullif(current_setting('memoray.user', true), '') $own$)
$$;
CREATE FUNCTION wall_by_scope(of_table regclass) RETURNS void LANGUAGE sql AS $$
    -- Not `= ANY`, which the planner would also ask of an index, for the ten scopes that it expects of any array: look-ups
    -- by scope and key seemed ten times dearer, and whole scopes were read instead. So it expects every row to pass. The
    -- inner SELECT is asked once a statement: an array is read from text only once.
    SELECT put_wall(of_table, $own$
        array_position((SELECT nullif(current_setting('memoray.scopes', true), '')::text[]), scope) IS NOT NULL $own$)
$$;

SELECT wall_by_user(name::regclass) FROM unnest(ARRAY[
    'users', 'entities', 'mentions', 'fact_versions', 'evidence', 'links', 'notes', 'groups', 'fact_vectors', 'accesses',
    'journal', 'touched', 'nights', 'row_versions', 'extracted', 'tokens', 'failures', 'receipts', 'erasing', 'audit']) AS name;
-- who captures into a team's scope asks for work for everybody who reads it, and may have words tried anew for them
SELECT wall_by_scope(name::regclass) FROM unnest(ARRAY[
    'content', 'tombstones', 'scopes', 'sources', 'segments', 'removals', 'segment_vectors', 'work', 'tried']) AS name;
SELECT put_wall('readers', $own$ user_id = nullif(current_setting('memoray.user', true), '')
    OR array_position((SELECT nullif(current_setting('memoray.scopes', true), '')::text[]), scope) IS NOT NULL $own$);
-- whose a session of the page is, nobody knows before it is found
SELECT put_wall('page_sessions', 'false');

-- Say that a transaction is a user's, in all the scopes that are read for them: what a turn rests on may be a team's.
CREATE FUNCTION act_for(whose text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('memoray.user', whose, true);
    PERFORM set_config('memoray.scopes', (
        SELECT array_agg(r.scope) || ('user:' || whose) FROM readers r WHERE r.user_id = whose)::text, true);
END $$;
