-- Reports of nights name what a night changed by its id. Ids of facts and entities are hashes of words without a key: so
-- what is forgotten leaves the reports as it leaves the journal (decision 0068). Reports name no sources.

-- A report with keyed hashes in the place of these ids, however deep they stand.
CREATE FUNCTION forgotten_report(value jsonb, ids text[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE jsonb_typeof(value)
        WHEN 'string' THEN CASE WHEN value #>> '{}' = ANY (ids) THEN to_jsonb(forgotten_id(value #>> '{}')) ELSE value END
        WHEN 'array' THEN (
            SELECT coalesce(jsonb_agg(forgotten_report(e.part, ids) ORDER BY e.place), '[]')
            FROM jsonb_array_elements(value) WITH ORDINALITY AS e (part, place))
        WHEN 'object' THEN (
            SELECT coalesce(jsonb_object_agg(f.name, forgotten_report(f.part, ids)), '{}')
            FROM jsonb_each(value) AS f (name, part))
        ELSE value END;
END $$;

-- Take what was forgotten out of the reports of a memory; reports that do not name it stay untouched.
CREATE FUNCTION forget_reported(whose text, ids text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE nights n SET report = forgotten_report(n.report, ids)
    WHERE n.user_id = whose AND names_any(n.report, ids)
$$;

-- What was forgotten before there was this: the hash of its id stands in `touched`.
SELECT forget_reported(g.user_id, array_agg(g.id))
FROM (SELECT DISTINCT n.user_id, part.value #>> '{}' AS id
      FROM nights n CROSS JOIN LATERAL jsonb_path_query(n.report, '$.**') AS part (value)
      WHERE jsonb_typeof(part.value) = 'string') g
WHERE EXISTS (SELECT FROM touched t WHERE t.user_id = g.user_id AND t.id = forgotten_id(g.id))
GROUP BY g.user_id;
