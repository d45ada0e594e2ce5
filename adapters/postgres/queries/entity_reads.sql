-- Entities as the front door shows them, through the view of the caller.

-- name: entities
-- Planned anew (pool.py).
-- Entities in sight, the latest seen first: now, or as they were believed at `known` and had been heard of by `as_of`.
-- `partly` tells that some mentions of no higher sensitivity are out of sight, those of a team: then `told` says which
-- aliases and properties were learnt in sight, and a filter by name does not look at the aliases. A name that was erased
-- since is called as the entity is today. What only a page shows is looked up for those on it.
WITH found AS (
    SELECT e.*, g.first_seen, g.last_seen, coalesce(n.words, y.words) AS shown_name, a.words AS sought
    FROM seen_spans(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                    to_timestamp(%(as_of)s::float8), %(ids)s) g
    JOIN entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e
         ON e.entity_id = g.entity_id AND e.merged_into IS NULL
    LEFT JOIN entities x ON %(known)s::float8 IS NOT NULL AND x.user_id = e.user_id AND x.entity_id = e.entity_id
    LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    LEFT JOIN content y ON %(known)s::float8 IS NOT NULL AND y.scope = 'user:' || e.user_id AND y.content_id = x.name
    LEFT JOIN content a ON %(name)s::text IS NOT NULL AND a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
    WHERE coalesce(n.words, y.words) IS NOT NULL
      AND (%(ids)s::text[] IS NULL OR e.entity_id = ANY(%(ids)s))
      AND (%(type)s::text IS NULL OR e.type = %(type)s)
      AND (%(tier)s::text IS NULL OR e.tier = %(tier)s)
      AND (e.state = %(state)s OR (%(state)s::text IS NULL AND (e.state <> 'archived' OR %(ids)s::text[] IS NOT NULL)))),
kept AS (
    SELECT * FROM found f
    WHERE %(name)s::text IS NULL OR lower(shown_name) = lower(%(name)s)
       OR (lower(coalesce(sought, '[]'))::jsonb ? lower(%(name)s)
           AND NOT EXISTS (SELECT FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) m
                           WHERE m.entity_id = f.entity_id AND m.sensitivity <= %(clearance)s
                             AND NOT EXISTS (SELECT FROM seen_segments(%(scopes)s, %(clearance)s) s
                                             WHERE s.segment_key = m.segment_key)))),
page AS (
    SELECT k.*, extract(epoch FROM k.last_seen)::float8 AS mark, k.entity_id AS key FROM kept k
    WHERE %(mark)s::float8 IS NULL OR (k.last_seen, k.entity_id) < (to_timestamp(%(mark)s), %(key)s)
    ORDER BY k.last_seen DESC, k.entity_id DESC LIMIT %(limit)s)
SELECT k.*, g.mention_count, g.session_count, g.source_count, r.*, (SELECT count(*) FROM kept) AS total,
       (SELECT a.words FROM content a WHERE a.scope = 'user:' || k.user_id AND a.content_id = k.aliases)
           AS shown_aliases,
       (SELECT p.words FROM content p WHERE p.scope = 'user:' || k.user_id AND p.content_id = k.properties)
           AS shown_properties,
       (SELECT d.words FROM content d WHERE d.scope = 'user:' || k.user_id AND d.content_id = k.description)
           AS shown_description,
       EXISTS (SELECT FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) m
               WHERE m.entity_id = k.entity_id AND m.sensitivity <= %(clearance)s
                 AND NOT EXISTS (SELECT FROM seen_segments(%(scopes)s, %(clearance)s) s
                                 WHERE s.segment_key = m.segment_key)) AS partly,
       (SELECT max(m.confidence)
        FROM seen_mentions_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) m
        WHERE m.entity_id = k.entity_id) AS seen_confidence
FROM page k
JOIN seen_entities_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                         to_timestamp(%(as_of)s::float8)) g
     ON g.entity_id = k.entity_id AND g.entity_id = ANY(ARRAY(SELECT entity_id FROM page))
CROSS JOIN LATERAL recalls_of(k.user_id, k.entity_id) r
ORDER BY k.last_seen DESC, k.entity_id DESC;

-- name: entities_now
-- Planned anew (pool.py).
-- Which entities a page of `entities` shows, for what is believed now, without a name to look for: the one list that is
-- asked for all the time. Each table is read once, by columns as narrow as can be; `entities_shown` looks up the rest.
WITH heard AS MATERIALIZED (
    SELECT m.entity_id, min(m.at) AS first_seen, max(m.at) AS last_seen, count(*) AS mention_count
    FROM mentions m
    JOIN (SELECT s.segment_key FROM segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
          WHERE s.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s AND s.replaced_by IS NULL) s
         ON s.segment_key = m.segment_key
    WHERE m.user_id = %(user_id)s
    GROUP BY m.entity_id),
known AS MATERIALIZED (
    SELECT e.entity_id, e.created_at, e.sensitivity, h.first_seen, h.last_seen, h.mention_count
    FROM entities e LEFT JOIN heard h ON h.entity_id = e.entity_id
    WHERE e.user_id = %(user_id)s AND e.merged_into IS NULL
      AND (%(type)s::text IS NULL OR e.type = %(type)s)
      AND (%(tier)s::text IS NULL OR e.tier = %(tier)s)
      AND (e.state = %(state)s OR (%(state)s::text IS NULL AND e.state <> 'archived'))),
kept AS MATERIALIZED (
    SELECT k.entity_id, k.first_seen, k.last_seen, k.mention_count FROM known k WHERE k.mention_count IS NOT NULL
    UNION ALL
    SELECT k.entity_id, u.first_seen, u.last_seen, 0 FROM known k
    CROSS JOIN LATERAL seen_unmentioned(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, k.entity_id, k.created_at) u
    WHERE k.mention_count IS NULL AND k.sensitivity <= %(clearance)s)
SELECT k.entity_id, k.first_seen, k.last_seen, k.mention_count, extract(epoch FROM k.last_seen)::float8 AS mark,
       k.entity_id AS key, (SELECT count(*) FROM kept) AS total
FROM kept k
WHERE %(mark)s::float8 IS NULL OR (k.last_seen, k.entity_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY k.last_seen DESC, k.entity_id DESC LIMIT %(limit)s;

-- name: entities_shown
-- Planned once (pool.py): planning all this for each page took longer than to find it by its keys.
-- What a page shows of these entities beside `entities_now`: words, and what takes all mentions of an entity.
SELECT e.*, g.*, r.*, n.words AS shown_name, a.words AS shown_aliases, p.words AS shown_properties,
       d.words AS shown_description
FROM entities e
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
LEFT JOIN content p ON p.scope = 'user:' || e.user_id AND p.content_id = e.properties
LEFT JOIN content d ON d.scope = 'user:' || e.user_id AND d.content_id = e.description
CROSS JOIN LATERAL (
    SELECT count(DISTINCT (s.scope, s.session_id)) FILTER (WHERE s.segment_key IS NOT NULL) AS session_count,
           count(DISTINCT (s.scope, s.source_id)) FILTER (WHERE s.segment_key IS NOT NULL) AS source_count,
           max(m.confidence) FILTER (WHERE s.segment_key IS NOT NULL) AS seen_confidence,
           coalesce(bool_or(s.segment_key IS NULL AND m.sensitivity <= %(clearance)s), false) AS partly
    FROM mentions m
    LEFT JOIN LATERAL (
        SELECT t.scope, t.segment_key, t.source_id, src.session_id
        FROM segments t JOIN sources src ON src.scope = t.scope AND src.source_id = t.source_id
        WHERE t.segment_key = m.segment_key AND t.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s
          AND t.replaced_by IS NULL) s ON true
    WHERE m.user_id = e.user_id AND m.entity_id = e.entity_id) g
CROSS JOIN LATERAL recalls_of(e.user_id, e.entity_id) r
WHERE e.user_id = %(user_id)s AND e.entity_id = ANY(%(ids)s);

-- name: told
-- How aliases and properties of some entities came about, turn by turn, readings of words out of sight left out. (One
-- reading is of one source, so a single segment in sight vouches for all of it.)
SELECT t.id AS entity_id, op.words AS old_properties, np.words AS new_properties, oa.words AS old_aliases,
       na.words AS new_aliases
FROM touched t
JOIN journal j ON j.user_id = t.user_id AND j.version = t.version
CROSS JOIN LATERAL jsonb_array_elements(j.changes) WITH ORDINALITY AS c (change, place)
LEFT JOIN content op ON op.scope = 'user:' || t.user_id AND op.content_id = (change -> 'before' ->> 'properties')::bigint
LEFT JOIN content np ON np.scope = 'user:' || t.user_id AND np.content_id = (change -> 'after' ->> 'properties')::bigint
LEFT JOIN content oa ON oa.scope = 'user:' || t.user_id AND oa.content_id = (change -> 'before' ->> 'aliases')::bigint
LEFT JOIN content na ON na.scope = 'user:' || t.user_id AND na.content_id = (change -> 'after' ->> 'aliases')::bigint
WHERE t.user_id = %(user_id)s AND t.id = ANY(%(ids)s)
  AND (%(known)s::float8 IS NULL OR j.at <= to_timestamp(%(known)s))
  AND change ->> 'noun' = 'entity' AND change -> 'after' ->> 'entity_id' = t.id
  AND (j.kind <> 'AcceptReading'
       OR EXISTS (SELECT 1 FROM jsonb_array_elements(j.changes) m
                  JOIN seen_segments(%(scopes)s, %(clearance)s) s
                       ON s.segment_key = (m -> 'after' ->> 'segment_key')::bigint
                  WHERE m ->> 'noun' IN ('mention', 'evidence')))
ORDER BY t.id, j.version, c.place;

-- name: resolve
-- Planned once (pool.py).
-- What an id or its beginning means, merges (known then) followed; an exact id first. Two rows at most: two mean it is
-- ambiguous.
WITH RECURSIVE chain AS (
    SELECT e.entity_id AS given, e.entity_id, e.merged_into
    FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e
    WHERE starts_with(e.entity_id, %(id)s) AND e.sensitivity <= %(clearance)s
    UNION
    SELECT c.given, e.entity_id, e.merged_into FROM chain c
    JOIN entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e ON e.entity_id = c.merged_into)
SELECT c.given, c.entity_id AS id
FROM chain c
CROSS JOIN LATERAL (SELECT FROM seen_entities_known(%(user_id)s, %(scopes)s, %(clearance)s,
                                                    to_timestamp(%(known)s::float8), NULL) g
                    WHERE g.entity_id = c.entity_id OFFSET 0) seen  -- OFFSET 0: looked up one by one
WHERE c.merged_into IS NULL
ORDER BY c.given <> %(id)s, c.given LIMIT 2;

-- name: about
-- The facts that decide whether an entity is contradicted, and when each was last said.
SELECT f.*, coalesce(f.object_id, f.subject_id) AS about_id,
       (SELECT max(v.at)
        FROM seen_evidence_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) v
        WHERE v.fact_id = f.fact_id AND (%(as_of)s::float8 IS NULL OR v.at <= to_timestamp(%(as_of)s))) AS said_at
FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
WHERE (f.object_id = ANY(%(ids)s) OR (f.object_id IS NULL AND f.subject_id = ANY(%(ids)s)))
  AND (%(as_of)s::float8 IS NULL
       OR (f.valid_from <= to_timestamp(%(as_of)s) AND (f.valid_to IS NULL OR f.status = 'active'
                                                        OR f.valid_to <= to_timestamp(%(as_of)s))));

-- name: describes
-- Whether all that an entity's description rests on is in sight and believed.
SELECT NOT EXISTS (
    SELECT FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) k
    WHERE k.kind = 'describes' AND k.from_id = %(id)s
      AND NOT EXISTS (
          SELECT FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
          WHERE f.fact_id = k.to_id AND f.status = 'active')) AS stands;

-- name: segments
-- Where an entity is mentioned, the latest first.
SELECT s.segment_id, s.source_id, s.speaker, s.at, c.words AS text
FROM seen_mentions_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) m
JOIN segments s ON s.segment_key = m.segment_key AND s.scope = ANY(%(scopes)s)
JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
WHERE m.entity_id = %(id)s AND (%(as_of)s::float8 IS NULL OR m.at <= to_timestamp(%(as_of)s))
ORDER BY s.at DESC, s.segment_key LIMIT %(limit)s;

-- name: notes
-- Remarks on an entity or a fact that have not expired, the latest first; one taken from a source is as visible as the
-- source.
WITH kept AS (
    SELECT n.*, extract(epoch FROM n.created_at)::float8 AS mark, n.note_id AS key
    FROM notes_known(%(user_id)s, to_timestamp(%(known)s::float8)) n
    JOIN unnest(%(lifetimes)s::text[], %(days)s::float8[]) AS l (name, days) ON l.name = n.lifetime
    WHERE n.about_id = %(id)s AND n.sensitivity <= %(clearance)s
      AND (l.days IS NULL OR n.created_at + make_interval(secs => l.days * 86400) > to_timestamp(%(now)s::float8))
      AND (n.source_id IS NULL
           OR EXISTS (SELECT 1 FROM sources s WHERE s.scope = ANY(%(scopes)s) AND s.source_id = n.source_id
                      AND s.sensitivity <= %(clearance)s)))
SELECT k.note_id, k.author, k.created_at, k.lifetime, k.source_id, c.words AS text, k.mark, k.key,
       (SELECT count(*) FROM kept) AS total
FROM kept k
JOIN content c ON c.scope = 'user:' || k.user_id AND c.content_id = k.text
WHERE %(mark)s::float8 IS NULL OR (k.created_at, k.note_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY k.created_at DESC, k.note_id DESC LIMIT %(limit)s;

-- name: related
-- Entities that a believed fact ties to this one, and those most often mentioned in the same breath.
WITH tied AS (
    SELECT CASE WHEN f.subject_id = %(id)s THEN f.object_id ELSE f.subject_id END AS entity_id, f.predicate
    FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
    WHERE f.status = ANY(%(statuses)s) AND f.object_id IS NOT NULL
      AND %(id)s IN (f.subject_id, f.object_id) AND f.subject_id <> f.object_id
      AND (%(as_of)s::float8 IS NULL OR (f.valid_from <= to_timestamp(%(as_of)s)
                                         AND (f.valid_to IS NULL OR f.valid_to > to_timestamp(%(as_of)s))))),
near AS (
    SELECT o.entity_id, count(*) AS together
    FROM seen_mentions_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) m
    CROSS JOIN LATERAL (SELECT x.entity_id FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                        WHERE x.segment_key = m.segment_key AND x.entity_id <> m.entity_id OFFSET 0) o
    WHERE m.entity_id = %(id)s AND (%(as_of)s::float8 IS NULL OR m.at <= to_timestamp(%(as_of)s))
    GROUP BY o.entity_id ORDER BY together DESC, o.entity_id LIMIT 50),
every AS (SELECT entity_id FROM tied UNION SELECT entity_id FROM near)
SELECT e.entity_id, e.type AS entity_type, n.words AS name, coalesce(near.together, 0) AS mentioned_together,
       (SELECT coalesce(array_agg(DISTINCT t.predicate) FILTER (WHERE t.predicate IS NOT NULL), '{}') FROM tied t
        WHERE t.entity_id = e.entity_id) AS predicates
FROM every
CROSS JOIN LATERAL (SELECT FROM seen_entities_known(%(user_id)s, %(scopes)s, %(clearance)s,
                                                    to_timestamp(%(known)s::float8), to_timestamp(%(as_of)s::float8)) g
                    WHERE g.entity_id = every.entity_id OFFSET 0) seen  -- OFFSET 0: looked up one by one
CROSS JOIN LATERAL (SELECT x.* FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                    WHERE x.entity_id = every.entity_id AND x.merged_into IS NULL OFFSET 0) e
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN near ON near.entity_id = every.entity_id
ORDER BY e.entity_id NOT IN (SELECT entity_id FROM tied), mentioned_together DESC, e.entity_id LIMIT 50;

-- name: promised
-- Where each of these promises was first made, in sight.
SELECT DISTINCT ON (m.entity_id) m.entity_id, m.at, m.source_id, s.segment_id, q.words AS quote, f.statement
FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
JOIN segments s ON s.segment_key = m.segment_key AND s.scope = ANY(%(scopes)s)
LEFT JOIN content q ON q.scope = 'user:' || m.user_id AND q.content_id = m.quote
LEFT JOIN LATERAL (
    SELECT t.words AS statement
    FROM evidence v
    JOIN fact_versions p ON p.user_id = v.user_id AND p.fact_id = v.fact_id AND p.system_to IS NULL
    JOIN content t ON t.scope = 'user:' || p.user_id AND t.content_id = p.statement
    WHERE v.user_id = m.user_id AND v.segment_key = m.segment_key AND v.quote = m.quote AND p.predicate = 'promises'
      AND p.status = 'active' AND p.sensitivity <= %(clearance)s
    ORDER BY p.fact_id LIMIT 1) f ON true
WHERE m.entity_id = ANY(%(ids)s)
ORDER BY m.entity_id, m.at, m.segment_key;
