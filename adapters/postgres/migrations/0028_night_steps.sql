-- Steps of a night that give commands of any kind: what is fixed of them until it is committed, and what a night has
-- committed, so that it can be undone as one.

ALTER TABLE nights
    ADD COLUMN kept jsonb,                         -- step -> its commands, but for crossings, which stand in `plan`
    ADD COLUMN commands text[];                    -- ids of all it commits; NULL of nights of earlier versions

-- Whether a value names one of these ids, however deep.
CREATE FUNCTION names_any(value jsonb, gone text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT EXISTS (SELECT FROM jsonb_path_query(value, '$.**') AS part (value)
                   WHERE jsonb_typeof(part.value) = 'string' AND part.value #>> '{}' = ANY (gone))
$$;

-- A command without these ids. Of its lists a record that names one goes whole, for its text may quote what is gone; a list
-- within a list, a cluster of duplicates, loses the id, and goes when less than two are left.
CREATE FUNCTION without_ids(command jsonb, gone text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(field.name, CASE WHEN jsonb_typeof(field.value) <> 'array' THEN field.value ELSE (
        SELECT coalesce(jsonb_agg(CASE WHEN jsonb_typeof(row.value) = 'array' THEN row.value - gone ELSE row.value END
                                  ORDER BY row.place), '[]')
        FROM jsonb_array_elements(field.value) WITH ORDINALITY AS row (value, place)
        WHERE CASE jsonb_typeof(row.value) WHEN 'array' THEN jsonb_array_length(row.value - gone) >= 2
                                           ELSE NOT names_any(row.value, gone) END) END)
    FROM jsonb_each(command) AS field (name, value)
$$;

-- Take what was forgotten out of the commands of a night that is under way: they may hold its words.
CREATE FUNCTION forget_kept(whose text, gone text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE nights n SET kept = (
        SELECT coalesce(jsonb_object_agg(s.step, (
            SELECT coalesce(jsonb_agg(without_ids(c.command, gone) ORDER BY c.place), '[]')
            FROM jsonb_array_elements(s.commands) WITH ORDINALITY AS c (command, place))), '{}')
        FROM jsonb_each(n.kept) AS s (step, commands))
    WHERE n.user_id = whose AND n.kept IS NOT NULL
$$;
