-- Erasure that depends on nobody (decision 0068): receipts that can be read again, a queue of what is still to be erased,
-- and keyed hashes in the place of ids that were made of words. The key is the one of the tombstones, in `secrets`.

CREATE TABLE receipts (
    receipt_id text PRIMARY KEY,
    user_id    text NOT NULL,                      -- who asked; outlives their memory
    what       text NOT NULL CHECK (what IN ('source', 'entity', 'memory')),
    id         text NOT NULL,                      -- a keyed hash of what was forgotten
    at         timestamptz NOT NULL DEFAULT now(),
    counts     jsonb NOT NULL DEFAULT '{}',
    settled_at timestamptz,                        -- when the last piece of the queue was done
    swept_from timestamptz,                        -- when the last sweep of pages and log began that is over
    swept_at   timestamptz,                        -- and when it was over
    denied     jsonb NOT NULL DEFAULT '{}'         -- place -> why this server did not let it be swept
);
CREATE INDEX receipts_unswept ON receipts (at) WHERE swept_from IS NULL OR settled_at IS NULL OR swept_from < settled_at;

CREATE TABLE erasing (                             -- what is still to be erased: each piece by itself, until it is done
    receipt_id   text NOT NULL REFERENCES receipts ON DELETE CASCADE,
    task         text NOT NULL CHECK (task IN ('withdraw', 'files', 'entity', 'memory')),
    user_id      text NOT NULL,                    -- in whose memory
    told         jsonb NOT NULL,                   -- what it needs to know; empty once it is done
    attempts     integer NOT NULL DEFAULT 0,
    next_attempt timestamptz NOT NULL DEFAULT now(),
    last_error   text,
    done_at      timestamptz,
    PRIMARY KEY (receipt_id, task, user_id)
);
CREATE INDEX erasing_due ON erasing (next_attempt) WHERE done_at IS NULL;

-- ---------------------------------------------------------------------------------------------------- hashes

CREATE FUNCTION keyed(words text) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256((SELECT value FROM secrets WHERE name = 'tombstone') || convert_to(words, 'UTF8'))
$$;

-- The same hash as the tombstone of a source.
CREATE FUNCTION forgotten_source(id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT 'forgotten:' || encode(keyed('source:' || id), 'hex')
$$;

-- Ids of facts, entities and notes are hashes of words without a key: whoever guesses the words could confirm the guess.
CREATE FUNCTION forgotten_id(id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT left(id, 2) || left(encode(keyed('id:' || id), 'hex'), 16)
$$;

CREATE FUNCTION forgotten_number(n bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ('x' || left(encode(keyed('number:' || n), 'hex'), 16))::bit(64)::bigint
$$;

-- Keys that callers choose may hold words; ids of our own are random, or hashes.
CREATE FUNCTION forgotten_command(id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN id ~ '^(c-[0-9a-f]{16}|forgotten:[0-9a-f]{64})$' THEN id
                ELSE 'forgotten:' || encode(keyed('command:' || id), 'hex') END
$$;

-- A row as the journal holds it, with what was forgotten hashed: ids by the names of their columns, and the numbers of the
-- words of a row that was forgotten itself.
CREATE FUNCTION forgotten_row("row" jsonb, sources text[], ids text[], keys bigint[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_object_agg(c.name, CASE
        WHEN c.name = 'source_id' AND c.value #>> '{}' = ANY (sources) THEN to_jsonb(forgotten_source(c.value #>> '{}'))
        WHEN c.name IN ('entity_id', 'fact_id', 'subject_id', 'object_id', 'from_id', 'to_id', 'about_id', 'note_id',
                        'merged_into') AND c.value #>> '{}' = ANY (ids)
        THEN to_jsonb(forgotten_id(c.value #>> '{}'))
        WHEN jsonb_typeof(c.value) <> 'number' THEN c.value
        WHEN c.name = 'segment_key' AND (c.value #>> '{}')::bigint = ANY (keys)
        THEN to_jsonb(forgotten_number((c.value #>> '{}')::bigint))
        WHEN own.gone AND c.name IN ('name', 'qualifier', 'description', 'aliases', 'properties', 'statement', 'object',
                                     'slot', 'quote', 'text')
        THEN to_jsonb(forgotten_number((c.value #>> '{}')::bigint))
        ELSE c.value END)
    FROM jsonb_each("row") c (name, value)
    CROSS JOIN (SELECT coalesce("row" ->> 'fact_id' = ANY (ids), false) OR coalesce("row" ->> 'entity_id' = ANY (ids), false)
                       OR coalesce("row" ->> 'note_id' = ANY (ids), false)
                       OR coalesce(("row" ->> 'segment_key')::bigint = ANY (keys), false) AS gone) own
$$;

CREATE FUNCTION forgotten_changes(changes jsonb, sources text[], ids text[], keys bigint[]) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg((
        SELECT jsonb_object_agg(s.key, CASE WHEN s.key IN ('before', 'after') AND jsonb_typeof(s.value) = 'object'
                                            THEN forgotten_row(s.value, sources, ids, keys) ELSE s.value END)
        FROM jsonb_each(e.change) s) ORDER BY e.place), '[]')
    FROM jsonb_array_elements(changes) WITH ORDINALITY AS e (change, place)
$$;

CREATE FUNCTION forgotten_outcomes(outcomes jsonb, ids text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'fact_id', CASE WHEN o.told ->> 'fact_id' = ANY (ids) THEN forgotten_id(o.told ->> 'fact_id')
                        ELSE o.told ->> 'fact_id' END,
        'outcome', o.told -> 'outcome',
        'rivals', (SELECT coalesce(jsonb_agg(CASE WHEN r.id = ANY (ids) THEN forgotten_id(r.id) ELSE r.id END ORDER BY r.n), '[]')
                   FROM jsonb_array_elements_text(o.told -> 'rivals') WITH ORDINALITY AS r (id, n))) ORDER BY o.place), '[]')
    FROM jsonb_array_elements(outcomes) WITH ORDINALITY AS o (told, place)
$$;

-- What tells the rows of one id apart in row_versions, as rows_left has it.
CREATE FUNCTION row_key(noun text, "row" jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE noun WHEN 'mention' THEN "row" ->> 'segment_key'
                     WHEN 'evidence' THEN ("row" ->> 'segment_key') || ' ' || ("row" ->> 'source_id')
                     WHEN 'link' THEN ("row" ->> 'kind') || ' ' || ("row" ->> 'to_id') ELSE '' END
$$;

-- Take what was forgotten out of the history of a memory: from the journal, from what it touched, from the rows it left and
-- from a night that is under way. The order in which turns happened, and that something was forgotten, stay.
CREATE FUNCTION forget_history(whose text, sources text[], ids text[], keys bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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

-- Sources that were forgotten before there was this: their plain ids leave the histories, too.
SELECT forget_history(g.user_id, array_agg(g.source_id), '{}', '{}')
FROM (SELECT DISTINCT v.user_id, v."row" ->> 'source_id' AS source_id FROM row_versions v
      WHERE v.noun IN ('mention', 'evidence', 'note') AND v."row" ->> 'source_id' IS NOT NULL) g
WHERE NOT EXISTS (SELECT FROM sources s WHERE s.source_id = g.source_id)
  AND EXISTS (SELECT FROM tombstones t WHERE t.hash = keyed('source:' || g.source_id))
GROUP BY g.user_id;

-- ---------------------------------------------------------------------------------------------------- turns

-- As before, but a key that was hashed is still the same key.
CREATE OR REPLACE FUNCTION take_turn(of_shard text, of_epoch bigint, whose text, believed bigint, command text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
    PERFORM 1 FROM shards s WHERE s.shard = of_shard AND s.epoch = of_epoch FOR SHARE;
    IF NOT FOUND THEN RETURN 'fenced'; END IF;
    PERFORM 1 FROM journal j WHERE j.user_id = whose AND j.command_id IN (command, forgotten_command(command));
    IF FOUND THEN RETURN 'known'; END IF;
    INSERT INTO users (user_id) VALUES (whose) ON CONFLICT DO NOTHING;
    INSERT INTO readers (scope, user_id) VALUES ('user:' || whose, whose) ON CONFLICT DO NOTHING;
    -- the optimistic check: only on top of the version the turn was decided on
    UPDATE users u SET version = u.version + 1 WHERE u.user_id = whose AND u.version = believed;
    IF NOT FOUND THEN RETURN 'stale'; END IF;
    RETURN 'taken';
END $$;
