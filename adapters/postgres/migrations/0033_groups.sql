-- Groups get what storylines and macros need: what a summary rests on, for whom it is to be seen, and when it was.

ALTER TABLE groups RENAME COLUMN statement TO summary;
ALTER TABLE groups
    ADD COLUMN quotes bigint[] NOT NULL DEFAULT '{}',     -- keys of the segments that the summary rests on
    ADD COLUMN core text[] NOT NULL DEFAULT '{}',         -- entities that hold a community together
    ADD COLUMN named_by text[] NOT NULL DEFAULT '{}',     -- entities after whom it is called, or that a pattern is about
    ADD COLUMN facts text[] NOT NULL DEFAULT '{}',        -- that a pattern quotes
    ADD COLUMN dirty boolean NOT NULL DEFAULT false,
    ADD COLUMN sources integer NOT NULL DEFAULT 0,
    ADD COLUMN first_at timestamptz,
    ADD COLUMN last_at timestamptz,
    ADD COLUMN sensitivity smallint NOT NULL DEFAULT 0;   -- of the clearance it is for
CREATE INDEX groups_anchor ON groups (user_id, anchor_id);

-- A list of a group, with what was forgotten hashed: ids of its members, keys of segments it quotes.
CREATE FUNCTION forgotten_list(list jsonb, sources text[], ids text[], keys bigint[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(CASE
        WHEN jsonb_typeof(one.value) = 'number' THEN
            CASE WHEN (one.value #>> '{}')::bigint = ANY (keys)
                 THEN to_jsonb(forgotten_number((one.value #>> '{}')::bigint)) ELSE one.value END
        WHEN one.value #>> '{}' = ANY (sources) THEN to_jsonb(forgotten_source(one.value #>> '{}'))
        WHEN one.value #>> '{}' = ANY (ids) THEN to_jsonb(forgotten_id(one.value #>> '{}'))
        ELSE one.value END ORDER BY one.place), '[]')
    FROM jsonb_array_elements(list) WITH ORDINALITY AS one (value, place)
$$;

-- As before (0023), with the lists of groups.
-- A row as the journal holds it, with what was forgotten hashed: ids by the names of their columns, and the numbers of the
-- words of a row that was forgotten itself.
CREATE OR REPLACE FUNCTION forgotten_row("row" jsonb, sources text[], ids text[], keys bigint[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_object_agg(c.name, CASE
        WHEN c.name = 'source_id' AND c.value #>> '{}' = ANY (sources) THEN to_jsonb(forgotten_source(c.value #>> '{}'))
        WHEN c.name IN ('entity_id', 'fact_id', 'subject_id', 'object_id', 'from_id', 'to_id', 'about_id', 'note_id',
                        'merged_into', 'group_id', 'anchor_id') AND c.value #>> '{}' = ANY (ids)
        THEN to_jsonb(forgotten_id(c.value #>> '{}'))
        WHEN c.name IN ('members', 'core', 'named_by', 'facts', 'quotes') AND jsonb_typeof(c.value) = 'array' THEN forgotten_list(c.value, sources, ids, keys)
        WHEN jsonb_typeof(c.value) <> 'number' THEN c.value
        WHEN c.name = 'segment_key' AND (c.value #>> '{}')::bigint = ANY (keys)
        THEN to_jsonb(forgotten_number((c.value #>> '{}')::bigint))
        WHEN own.gone AND c.name IN ('name', 'qualifier', 'description', 'aliases', 'properties', 'statement', 'object',
                                     'slot', 'quote', 'text', 'summary')
        THEN to_jsonb(forgotten_number((c.value #>> '{}')::bigint))
        ELSE c.value END)
    FROM jsonb_each("row") c (name, value)
    CROSS JOIN (SELECT coalesce("row" ->> 'fact_id' = ANY (ids), false) OR coalesce("row" ->> 'entity_id' = ANY (ids), false)
                       OR coalesce("row" ->> 'note_id' = ANY (ids), false) OR coalesce("row" ->> 'group_id' = ANY (ids), false)
                       OR coalesce(("row" ->> 'segment_key')::bigint = ANY (keys), false) AS gone) own
$$;

-- Take what was forgotten out of the history of a memory: from the journal, from what it touched, from the rows it left and
-- from a night that is under way. The order in which turns happened, and that something was forgotten, stay.
CREATE OR REPLACE FUNCTION forget_history(whose text, sources text[], ids text[], keys bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    turns bigint[]; commands text[];
BEGIN
    SELECT array_agg(j.version), array_agg(j.command_id) INTO turns, commands FROM journal j
    WHERE j.user_id = whose AND (
        EXISTS (SELECT FROM jsonb_array_elements(j.changes) c
                CROSS JOIN LATERAL (VALUES (c -> 'before'), (c -> 'after')) AS s ("row")
                WHERE s."row" ->> 'source_id' = ANY (sources)
                   OR s."row" ->> 'fact_id' = ANY (ids) OR s."row" ->> 'entity_id' = ANY (ids)
                   OR s."row" ->> 'subject_id' = ANY (ids) OR s."row" ->> 'object_id' = ANY (ids)
                   OR s."row" ->> 'from_id' = ANY (ids) OR s."row" ->> 'to_id' = ANY (ids)
                   OR s."row" ->> 'about_id' = ANY (ids) OR s."row" ->> 'note_id' = ANY (ids)
                   OR s."row" ->> 'merged_into' = ANY (ids)
                   OR s."row" ->> 'group_id' = ANY (ids) OR s."row" ->> 'anchor_id' = ANY (ids)
                   OR s."row" -> 'members' ?| (ids || sources)
                   OR s."row" -> 'named_by' ?| ids OR s."row" -> 'facts' ?| ids
                   OR s."row" -> 'quotes' @> ANY (SELECT to_jsonb(key) FROM unnest(keys) AS key)
                   OR (s."row" ->> 'segment_key')::bigint = ANY (keys))
        OR EXISTS (SELECT FROM jsonb_array_elements(j.outcomes) o WHERE o ->> 'fact_id' = ANY (ids) OR o -> 'rivals' ?| ids));
    UPDATE journal j SET changes = forgotten_changes(j.changes, sources, ids, keys),
                         outcomes = forgotten_outcomes(j.outcomes, ids), command_id = forgotten_command(j.command_id)
    WHERE j.user_id = whose AND j.version = ANY (turns);
    UPDATE journal j SET undoes = forgotten_command(j.undoes) WHERE j.user_id = whose AND j.undoes = ANY (commands);
    UPDATE touched t SET id = forgotten_id(t.id) WHERE t.user_id = whose AND t.id = ANY (ids);
    UPDATE row_versions v
    SET id = CASE WHEN v.id = ANY (ids) THEN forgotten_id(v.id) ELSE v.id END, "row" = f."row", key = row_key(v.noun, f."row")
    FROM (SELECT o.user_id, o.noun, o.id, o.key, o.turn, forgotten_row(o."row", sources, ids, keys) AS "row"
          FROM row_versions o WHERE o.user_id = whose AND o.turn = ANY (turns)) f
    WHERE (v.user_id, v.noun, v.id, v.key, v.turn) = (f.user_id, f.noun, f.id, f.key, f.turn)
      AND (f."row" <> v."row" OR v.id = ANY (ids));
    UPDATE nights n SET plan = (
        SELECT coalesce(jsonb_object_agg(p.step, (
            SELECT coalesce(jsonb_agg(x.found), '[]') FROM jsonb_array_elements(p.crossings) AS x (found)
            WHERE NOT (x.found ->> 0 = 'source' AND x.found ->> 1 = ANY (sources)) AND x.found ->> 1 <> ALL (ids))), '{}')
        FROM jsonb_each(n.plan) AS p (step, crossings))
    WHERE n.user_id = whose AND n.plan IS NOT NULL;
END $$;

-- Patterns in sight: of a sensitivity that may be seen, and with everything that they quote in sight and believed.
CREATE FUNCTION seen_patterns(whose text, in_scopes text[], up_to integer) RETURNS SETOF groups LANGUAGE sql STABLE AS $$
    SELECT g.* FROM groups g
    WHERE g.user_id = whose AND g.kind = 'pattern' AND g.sensitivity <= up_to
      AND NOT EXISTS (SELECT FROM unnest(g.facts) AS q (fact_id)
                      WHERE NOT EXISTS (SELECT FROM seen_facts(whose, in_scopes, up_to) f
                                        WHERE f.fact_id = q.fact_id AND f.system_to IS NULL AND f.status = 'active'))
      AND NOT EXISTS (SELECT FROM unnest(g.quotes) AS q (segment_key)
                      WHERE NOT EXISTS (SELECT FROM seen_segments(in_scopes, up_to) s
                                        WHERE s.segment_key = q.segment_key))
$$;
