-- Facts as the front door shows them, through the view of the caller.

-- name: facts
-- The versions that a question of two times asks for: believed at `known` (default: now), valid at `as_of`.
WITH named AS (
    SELECT coalesce(e.merged_into, e.entity_id) AS entity_id
    FROM entities e
    LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
    WHERE e.user_id = %(user_id)s
      AND (e.entity_id = %(subject)s OR lower(n.words) = lower(%(subject)s)
           OR lower(coalesce(a.words, '[]'))::jsonb ? lower(%(subject)s))),
found AS (
    SELECT f.fact_id, f.version, f.status, f.valid_from
    FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
    WHERE CASE WHEN %(known)s::float8 IS NULL THEN f.system_to IS NULL
               ELSE f.system_from <= to_timestamp(%(known)s)
                    AND (f.system_to IS NULL OR f.system_to > to_timestamp(%(known)s)) END
      AND (%(as_of)s::float8 IS NULL
           OR (f.valid_from <= to_timestamp(%(as_of)s)
               AND (f.valid_to IS NULL OR f.valid_to > to_timestamp(%(as_of)s))))
      AND f.status = ANY(%(statuses)s)
      AND (%(predicate)s::text IS NULL OR f.predicate = %(predicate)s)
      AND (%(kind)s::text IS NULL OR f.kind = %(kind)s)
      AND (%(subject)s::text IS NULL OR f.subject_id IN (SELECT entity_id FROM named))
      AND (%(about)s::text IS NULL OR %(about)s IN (f.subject_id, f.object_id))
      AND f.state <> 'archived')
SELECT o.fact_id, o.version, extract(epoch FROM o.valid_from)::float8 AS mark, o.fact_id AS key,
       (SELECT count(*) FROM found) AS total
FROM found o
WHERE %(mark)s::float8 IS NULL OR (o.valid_from, o.fact_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY %(current_first)s AND o.status <> 'active', o.valid_from DESC, o.fact_id DESC LIMIT %(limit)s;

-- name: resolve
-- What an id or its beginning means; an exact id first. Two rows at most: two mean it is ambiguous.
SELECT f.fact_id AS id, f.version FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.system_to IS NULL AND starts_with(f.fact_id, %(id)s)
ORDER BY f.fact_id <> %(id)s, f.fact_id LIMIT 2;

-- name: hydrate
-- Versions as they are shown, with their words, what they rest on and what they stand against.
SELECT f.*, n.words AS subject, t.words AS shown_statement, o.words AS shown_object, l.words AS shown_slot,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('source_id', v.source_id, 'segment_id', s.segment_id,
                                                     'segment_key', v.segment_key, 'quote', coalesce(q.words, ''))
                                  ORDER BY v.at, v.segment_key), '[]')
        FROM seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) v
        LEFT JOIN segments s ON s.segment_key = v.segment_key
        LEFT JOIN content q ON q.scope = 'user:' || v.user_id AND q.content_id = v.quote
        WHERE v.fact_id = f.fact_id) AS sources,
       (SELECT coalesce(array_agg(k.to_id ORDER BY k.to_id), '{}') FROM links k
        WHERE k.user_id = f.user_id AND k.kind = 'supersedes' AND k.from_id = f.fact_id
          AND EXISTS (SELECT 1 FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) z WHERE z.fact_id = k.to_id))
           AS supersedes,
       (SELECT coalesce(array_agg(k.from_id ORDER BY k.from_id), '{}') FROM links k
        WHERE k.user_id = f.user_id AND k.kind = 'supersedes' AND k.to_id = f.fact_id
          AND EXISTS (SELECT 1 FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) z WHERE z.fact_id = k.from_id))
           AS superseded_by
FROM unnest(%(ids)s::text[], %(versions)s::integer[]) WITH ORDINALITY AS w (fact_id, version, place)
JOIN fact_versions f ON f.user_id = %(user_id)s AND f.fact_id = w.fact_id AND f.version = w.version
LEFT JOIN entities e ON e.user_id = f.user_id AND e.entity_id = f.subject_id
LEFT JOIN content n ON n.scope = 'user:' || f.user_id AND n.content_id = e.name
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
LEFT JOIN content o ON o.scope = 'user:' || f.user_id AND o.content_id = f.object
LEFT JOIN content l ON l.scope = 'user:' || f.user_id AND l.content_id = f.slot
ORDER BY w.place;

-- name: words
-- What was said for a fact: whole segments, or the words of a command.
SELECT v.source_id, s.segment_id, s.speaker, v.at, v.revision, src.kind AS source_kind, c.words AS text,
       coalesce(q.words, '') AS quote
FROM seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) v
LEFT JOIN segments s ON s.segment_key = v.segment_key
LEFT JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
LEFT JOIN content q ON q.scope = 'user:' || v.user_id AND q.content_id = v.quote
WHERE v.fact_id = %(id)s
ORDER BY v.at, v.segment_key;

-- name: links
-- Facts in sight that a fact is linked with, in either direction.
SELECT k.kind, k.from_id = %(id)s AS outgoing, f.fact_id, f.status, round(k.weight::numeric, 4)::float8 AS weight,
       t.words AS statement
FROM links k
JOIN seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
     ON f.fact_id = CASE WHEN k.from_id = %(id)s THEN k.to_id ELSE k.from_id END AND f.system_to IS NULL
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
WHERE k.user_id = %(user_id)s AND %(id)s IN (k.from_id, k.to_id)
ORDER BY k.kind, f.fact_id;

-- name: entities
-- The entities a fact speaks of.
SELECT e.entity_id, e.type AS entity_type, n.words AS name,
       CASE WHEN e.entity_id = f.subject_id THEN 'subject' ELSE 'object' END AS role
FROM fact_versions f
JOIN entities e ON e.user_id = f.user_id AND e.entity_id IN (f.subject_id, f.object_id)
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE f.user_id = %(user_id)s AND f.fact_id = %(id)s AND f.system_to IS NULL
ORDER BY role DESC;

-- name: changes
-- Every turn that touched a fact. What a turn did for words out of sight is told to nobody who cannot see them.
WITH touching AS (
    SELECT j.version AS turn, j.at, j.actor, j.kind AS command, j.command_id, j.undoes, c.value AS change, c.place,
           coalesce(c.value -> 'after', c.value -> 'before') AS side
    FROM touched t
    JOIN journal j ON j.user_id = t.user_id AND j.version = t.version,
    jsonb_array_elements(j.changes) WITH ORDINALITY AS c (value, place)
    WHERE t.user_id = %(user_id)s AND t.id = %(id)s AND c.value ->> 'noun' IN ('fact', 'evidence')),
own AS (
    SELECT w.*, w.change ->> 'noun' = 'fact' OR (w.side ->> 'segment_key')::bigint = 0
                OR EXISTS (SELECT 1 FROM seen_segments(%(scopes)s, %(clearance)s) s
                           WHERE s.segment_key = (w.side ->> 'segment_key')::bigint) AS seen
    FROM (SELECT turn, at, actor, command, command_id, undoes, change, place,
                 CASE WHEN jsonb_typeof(side) = 'null' THEN change -> 'before' ELSE side END AS side
          FROM touching) w
    WHERE w.side ->> 'fact_id' = %(id)s)
SELECT o.turn, o.at, o.actor, o.command, o.command_id, o.undoes, o.change ->> 'noun' AS noun,
       o.change ->> 'reason' AS reason, o.side -> 'version' AS version, o.side -> 'confidence' AS confidence,
       o.side ->> 'status' AS status, o.side -> 'valid_from' AS valid_from, o.side -> 'valid_to' AS valid_to
FROM own o
WHERE o.seen AND (NOT EXISTS (SELECT 1 FROM own x WHERE x.turn = o.turn AND x.change ->> 'noun' = 'evidence')
                  OR EXISTS (SELECT 1 FROM own x WHERE x.turn = o.turn AND x.change ->> 'noun' = 'evidence' AND x.seen))
ORDER BY o.turn, o.place;

-- name: current
SELECT f.fact_id, f.version FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.system_to IS NULL AND f.fact_id = ANY(%(ids)s) ORDER BY f.fact_id;

-- name: fading
SELECT f.fact_id, f.confidence, f.stability, f.system_from
FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.system_to IS NULL AND f.status = 'active' AND NOT f.protected ORDER BY f.fact_id;
