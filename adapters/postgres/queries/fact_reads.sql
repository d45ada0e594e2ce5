-- Facts as the front door shows them, through the view of the caller.

-- name: subjects
-- Entities that an id, a name or an alias means, or meant at `known`; one that was merged is what it became.
SELECT DISTINCT coalesce(e.merged_into, e.entity_id) AS entity_id
FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e
LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
WHERE e.sensitivity <= %(clearance)s
  AND (e.entity_id = %(subject)s OR lower(n.words) = lower(%(subject)s)
       OR lower(coalesce(a.words, '[]'))::jsonb ? lower(%(subject)s));

-- name: facts
-- The versions that a question of two times asks for: believed at `known` (default: now), valid at `as_of`. It stops
-- counting them when there are `most`.
SELECT f.fact_id, f.version, extract(epoch FROM f.valid_from)::float8 AS mark, f.fact_id AS key,
       (SELECT count(*) FROM (
            SELECT FROM facts_then(
                %(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), to_timestamp(%(as_of)s::float8),
                %(statuses)s, %(predicate)s, %(kind)s, %(subjects)s, %(about)s)
            LIMIT %(most)s) c) AS total
FROM facts_then(
    %(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), to_timestamp(%(as_of)s::float8),
    %(statuses)s, %(predicate)s, %(kind)s, %(subjects)s, %(about)s) f
WHERE %(mark)s::float8 IS NULL OR (f.valid_from, f.fact_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY f.valid_from DESC, f.fact_id DESC LIMIT %(limit)s;

-- name: confirmed
-- Of these versions, which the time machine has named, those that are what was asked for, and in sight; in their order.
-- `against` is what of another sensitivity speaks against each, which may be out on the day that is asked about.
SELECT w.fact_id, w.version, extract(epoch FROM f.valid_from)::float8 AS mark, w.fact_id AS key,
       CASE WHEN %(as_of)s::float8 IS NOT NULL AND EXISTS (
           SELECT FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) k
           JOIN fact_versions z ON z.user_id = k.user_id AND z.fact_id = k.from_id AND z.sensitivity <> f.sensitivity
           WHERE k.kind IN ('supersedes', 'interrupts') AND k.to_id = f.fact_id)
       THEN against_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), f.fact_id, f.version)
       END AS against
FROM unnest(%(ids)s::text[], %(versions)s::integer[]) WITH ORDINALITY AS w (fact_id, version, place)
CROSS JOIN LATERAL (
    SELECT t.fact_id, t.version, t.sensitivity, t.valid_from FROM facts_then(
        %(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), to_timestamp(%(as_of)s::float8),
        %(statuses)s, %(predicate)s, %(kind)s, %(subjects)s, %(about)s) t
    WHERE t.fact_id = w.fact_id AND t.version = w.version OFFSET 0) f
ORDER BY w.place LIMIT %(limit)s;

-- name: resolve
-- What an id or its beginning means; an exact id first. Two rows at most: two mean it is ambiguous. Ids are of digits and
-- the letters up to f: those that begin so lie below `z` in every collation, and are read in the order of the index.
SELECT b.* FROM (
    SELECT f.fact_id AS id, f.version
    FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
    WHERE f.fact_id = %(id)s
    UNION ALL
    (SELECT f.fact_id, f.version
     FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
     WHERE f.fact_id > %(id)s AND f.fact_id < %(id)s::text || 'z' AND starts_with(f.fact_id, %(id)s)
     ORDER BY f.fact_id LIMIT 2)) b
ORDER BY b.id <> %(id)s, b.id LIMIT 2;

-- name: hydrate
-- Planned once (pool.py).
-- Versions as they are shown, with their words, what they rest on and what they stand against, as it was known then.
SELECT f.*, st.*, n.words AS subject, t.words AS shown_statement, o.words AS shown_object, l.words AS shown_slot,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('source_id', v.source_id, 'segment_id', s.segment_id,
                                                     'segment_key', v.segment_key, 'quote', coalesce(q.words, ''),
                                                     'at', extract(epoch FROM v.at)::float8)
                                  ORDER BY v.at, v.segment_key), '[]')
        FROM seen_evidence_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) v
        LEFT JOIN segments s ON s.segment_key = v.segment_key AND s.scope = ANY(%(scopes)s)
        LEFT JOIN content q ON q.scope = 'user:' || v.user_id AND q.content_id = v.quote
        WHERE v.fact_id = f.fact_id) AS sources,
       (SELECT coalesce(array_agg(k.to_id ORDER BY k.to_id), '{}')
        FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) k
        WHERE k.kind = 'supersedes' AND k.from_id = f.fact_id
          AND EXISTS (SELECT 1 FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) z WHERE z.fact_id = k.to_id))
           AS supersedes,
       (SELECT coalesce(array_agg(k.from_id ORDER BY k.from_id), '{}')
        FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) k
        WHERE k.kind = 'supersedes' AND k.to_id = f.fact_id
          AND EXISTS (SELECT 1 FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) z WHERE z.fact_id = k.from_id))
           AS superseded_by,
       -- words of another sensitivity end nothing but for who sees both (decision 0025)
       CASE WHEN EXISTS (
           SELECT FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) k
           JOIN fact_versions z ON z.user_id = k.user_id AND z.fact_id = k.from_id AND z.sensitivity <> f.sensitivity
           WHERE k.kind IN ('supersedes', 'interrupts') AND k.to_id = f.fact_id)
       THEN against_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), f.fact_id, f.version)
       END AS against
FROM unnest(%(ids)s::text[], %(versions)s::integer[]) WITH ORDINALITY AS w (fact_id, version, place)
JOIN fact_versions f ON f.user_id = %(user_id)s AND f.fact_id = w.fact_id AND f.version = w.version
LEFT JOIN LATERAL (SELECT x.* FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                   WHERE x.entity_id = f.subject_id OFFSET 0) e ON true
LEFT JOIN content n ON n.scope = 'user:' || f.user_id AND n.content_id = e.name
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
LEFT JOIN content o ON o.scope = 'user:' || f.user_id AND o.content_id = f.object
LEFT JOIN content l ON l.scope = 'user:' || f.user_id AND l.content_id = f.slot
CROSS JOIN LATERAL fact_standing(f, %(evergreen)s::text[]) st
ORDER BY w.place;

-- name: words
-- What was said for a fact: whole segments, or the words of a command.
SELECT v.source_id, s.segment_id, spoken_by(s.scope, s.speaker) AS speaker, v.at,
       src.kind AS source_kind, c.words AS text, coalesce(q.words, '') AS quote
FROM seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) v
LEFT JOIN segments s ON s.segment_key = v.segment_key AND s.scope = ANY(%(scopes)s)
LEFT JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
LEFT JOIN content q ON q.scope = 'user:' || v.user_id AND q.content_id = v.quote
WHERE v.fact_id = %(id)s
ORDER BY v.at, v.segment_key;

-- name: links
-- Facts in sight that a fact is linked with, in either direction.
SELECT k.kind, k.from_id = %(id)s AS outgoing, f.fact_id, f.status,
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

-- name: told_of
-- The current facts about whom an id, a name or an alias means that are told by one of these predicates, or whose words
-- match; the surest first. A fact of either side of a dispute is `disputed`, if the other is in sight, too.
SELECT f.fact_id,
       EXISTS (SELECT FROM links k JOIN seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) z
               ON z.fact_id = CASE WHEN k.from_id = f.fact_id THEN k.to_id ELSE k.from_id END
                  AND z.system_to IS NULL AND z.status = 'active'
               WHERE k.user_id = %(user_id)s AND k.kind = 'disputes' AND f.fact_id IN (k.from_id, k.to_id)) AS disputed
FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
LEFT JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
WHERE f.system_to IS NULL AND f.status IN ('active', 'superseded')
  AND (split_part(f.predicate, ':', 1) = ANY(%(predicates)s::text[]) OR t.words ~* %(pattern)s::text)
  AND f.subject_id IN (
      SELECT coalesce(e.merged_into, e.entity_id)
      FROM entities_known(%(user_id)s, NULL) e
      LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
      LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
      WHERE e.sensitivity <= %(clearance)s
        AND (e.entity_id = %(subject)s OR lower(n.words) = lower(%(subject)s)
             OR lower(coalesce(a.words, '[]'))::jsonb ? lower(%(subject)s)))
ORDER BY f.confidence DESC, f.fact_id LIMIT %(limit)s;

-- name: current
SELECT f.fact_id, f.version FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
WHERE f.system_to IS NULL AND f.fact_id = ANY(%(ids)s) ORDER BY f.fact_id;

-- name: fading
-- Planned anew (pool.py).
-- What fact_standing tells of one, of all: the entities that keep a floor are found once, not for each fact.
WITH evergreen AS (
    SELECT entity_id FROM entities WHERE user_id = %(user_id)s AND type = ANY(%(evergreen)s::text[]) AND NOT is_owner)
SELECT f.fact_id, f.confidence, f.stability, f.protected, f.importance, coalesce(f.updated_at, f.system_from) AS since,
       f.kind = 'preference' AND f.valid_to IS NULL AS preference,
       f.subject_id IN (SELECT entity_id FROM evergreen)
           OR coalesce(f.object_id, '') IN (SELECT entity_id FROM evergreen) AS evergreen,
       coalesce(a.count, 0) AS count, a.last_at AS accessed_at, coalesce(a.value, 0) AS value,
       coalesce(a.gradient, 1) AS gradient
FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
LEFT JOIN accesses a ON a.user_id = f.user_id AND a.id = f.fact_id
WHERE f.system_to IS NULL AND f.status = 'active' AND NOT f.protected ORDER BY f.fact_id;
