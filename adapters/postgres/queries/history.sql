-- How belief changed, turn by turn, as the journal holds it; and what of that a caller may see.

-- name: entries
-- Turns in order, with their changes of facts, evidence, entities and links (those of `ids`, if they are given) and the
-- keys of the segments they read or took back. `turns` are told too, whatever they touched.
SELECT j.version AS turn, j.at, j.actor, j.kind AS command, j.command_id, j.undoes, t.changes, t.heard
FROM journal j
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(c.change ORDER BY c.place) FILTER (
               WHERE c.change ->> 'noun' IN ('fact', 'evidence', 'entity', 'link')
                 AND (%(ids)s::text[] IS NULL OR c.change ->> 'noun' = 'link'
                      OR coalesce(side ->> 'fact_id', side ->> 'entity_id') = ANY(%(ids)s))), '[]') AS changes,
           coalesce(array_agg(DISTINCT (side ->> 'segment_key')::bigint) FILTER (
               WHERE (side ->> 'segment_key')::bigint <> 0), '{}') AS heard
    FROM jsonb_array_elements(j.changes) WITH ORDINALITY AS c (change, place)
    CROSS JOIN LATERAL (SELECT coalesce(c.change -> 'after', c.change -> 'before') AS side) s) t
WHERE j.user_id = %(user_id)s AND j.version >= %(turn)s AND j.changes <> '[]'
  AND (%(beyond)s::float8 IS NULL OR j.at >= to_timestamp(%(beyond)s))
  AND (%(ids)s::text[] IS NULL
       OR j.version IN (SELECT v.version FROM touched v WHERE v.user_id = %(user_id)s AND v.id = ANY(%(ids)s)))
  AND (%(after)s::float8 IS NULL OR j.at > to_timestamp(%(after)s))
  AND (%(until)s::float8 IS NULL OR j.at <= to_timestamp(%(until)s))
ORDER BY j.version LIMIT %(limit)s;

-- name: content
SELECT content_id, words FROM content WHERE scope = 'user:' || %(user_id)s::text AND content_id = ANY(%(ids)s);

-- name: facts_seen
-- Planned anew (pool.py).
SELECT f.fact_id FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f WHERE f.system_to IS NULL;

-- name: stamp
-- The version, the last transaction that changed the row of the user (moved_users), vectors that facts have by now, and how
-- far each scope in view has come.
SELECT coalesce(max(u.version), 0) AS version, max(u.xmin::text) AS moved,
       (SELECT count(*) FROM fact_vectors v WHERE v.user_id = %(user_id)s AND v.encoder = %(encoder)s) AS vectors,
       (SELECT array_agg(s.position ORDER BY s.scope) FROM scopes s WHERE s.scope = ANY(%(scopes)s)) AS positions
FROM users u WHERE u.user_id = %(user_id)s;

-- name: facts_in_sight
SELECT f.fact_id, coalesce(t.words, '') AS statement
FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
WHERE f.system_to IS NULL AND f.fact_id = ANY(%(ids)s);

-- name: entities_in_sight
-- Names of these entities; one that was merged is in sight with what it became.
WITH RECURSIVE chain AS (
    SELECT e.entity_id AS given, e.entity_id, e.merged_into FROM entities e
    WHERE e.user_id = %(user_id)s AND e.entity_id = ANY(%(ids)s) AND e.sensitivity <= %(clearance)s
    UNION
    SELECT c.given, e.entity_id, e.merged_into FROM chain c
    JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = c.merged_into)
SELECT c.given AS entity_id, n.words AS name
FROM chain c
CROSS JOIN LATERAL (SELECT FROM seen_entity(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, c.entity_id)
                    LIMIT 1) seen
JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = c.given
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE c.merged_into IS NULL;

-- name: segments_in_sight
-- Also those that a better transcription has replaced: what was believed on their words was believed on their words.
SELECT s.segment_key, s.source_id, s.segment_id, spoken_by(s.scope, s.speaker) AS speaker, s.at, c.words AS text
FROM segments s
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
WHERE s.segment_key = ANY(%(keys)s) AND s.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s;

-- name: merged_into
-- The entities that became this one, at whatever remove.
WITH RECURSIVE losers AS (
    SELECT e.entity_id FROM entities e
    WHERE e.user_id = %(user_id)s AND e.merged_into = %(id)s AND e.sensitivity <= %(clearance)s
    UNION
    SELECT e.entity_id FROM entities e JOIN losers l ON e.merged_into = l.entity_id
    WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s)
SELECT entity_id FROM losers ORDER BY entity_id;

-- name: concerning
-- Entities with those that became them, and the facts that speak of any of these or have spoken of them.
WITH RECURSIVE them AS (
    SELECT unnest(%(ids)s::text[]) AS id
    UNION
    SELECT e.entity_id FROM entities e JOIN them t ON e.merged_into = t.id
    WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s)
SELECT id FROM them
UNION
SELECT f.fact_id FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.subject_id IN (SELECT id FROM them)
UNION
SELECT f.fact_id FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.object_id IN (SELECT id FROM them);

-- name: gained
-- Facts in sight that were held (active) at `known` and not at `other`. Only a fact that changed in between can be one.
SELECT f.fact_id, f.status, coalesce(t.words, '') AS statement
FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
WHERE f.status = 'active'
  AND (%(about)s::text[] IS NULL OR f.subject_id = ANY(%(about)s) OR f.object_id = ANY(%(about)s))
  AND f.fact_id IN (SELECT v.id FROM journal j JOIN touched v ON v.user_id = j.user_id AND v.version = j.version
                    WHERE j.user_id = %(user_id)s AND j.at > to_timestamp(%(after)s)
                      AND (%(until)s::float8 IS NULL OR j.at <= to_timestamp(%(until)s)))
  AND NOT EXISTS (SELECT 1 FROM fact_versions o
                  WHERE o.user_id = f.user_id AND o.fact_id = f.fact_id AND o.status = 'active'
                    AND CASE WHEN %(other)s::float8 IS NULL THEN o.system_to IS NULL
                             ELSE o.system_from <= to_timestamp(%(other)s)
                                  AND (o.system_to IS NULL OR o.system_to > to_timestamp(%(other)s)) END)
ORDER BY f.valid_from DESC, f.fact_id LIMIT %(limit)s;

-- name: segment
-- One segment of a source, hidden or not, by its id or the beginning of it; and which segments it replaced. Two rows at
-- most: two mean it is ambiguous.
SELECT s.segment_id AS id, s.segment_key, s.source_id, s.segment_id,
       spoken_by(s.scope, s.speaker) AS speaker, s.role, s.at, s.language, s.stt_engine,
       s.is_sweep, s.pinned, s.revision, s.replaced_by, c.words AS text, src.kind AS source_kind,
       (SELECT coalesce(array_agg(o.segment_id ORDER BY o.start_s, o.ord), '{}') FROM segments o
        WHERE o.scope = s.scope AND o.source_id = s.source_id AND o.replaced_by = s.segment_id) AS replaces,
       (SELECT e.revision FROM extracted e
        WHERE e.user_id = %(user_id)s AND e.scope = s.scope AND e.segment_key = s.segment_key) AS read_revision
FROM segments s
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND starts_with(s.segment_id, %(id)s)
ORDER BY s.segment_id <> %(id)s, s.segment_id LIMIT 2;

-- name: rests_on
-- What rests on a segment, now or at some time before: facts and entities by id.
SELECT DISTINCT v.noun, v.id FROM row_versions v
WHERE v.user_id = %(user_id)s AND v.noun IN ('mention', 'evidence') AND (v.row ->> 'segment_key')::bigint = %(key)s;

-- name: facts_of
-- Planned once (pool.py).
-- Facts in sight, as they stand, that these words support or have supported.
SELECT f.fact_id, f.status, f.judged_by, coalesce(t.words, '') AS statement,
       EXISTS (SELECT 1 FROM evidence v
               WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.segment_key = %(key)s) AS supported
FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
WHERE f.system_to IS NULL AND f.fact_id = ANY(%(ids)s)
ORDER BY f.fact_id;

-- name: entities_of
-- Entities in sight that a segment mentions now, with the words that mean them.
SELECT e.entity_id, e.type AS entity_type, n.words AS name, 'mentioned' AS role
FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND e.merged_into IS NULL
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE m.segment_key = %(key)s
ORDER BY e.entity_id;
