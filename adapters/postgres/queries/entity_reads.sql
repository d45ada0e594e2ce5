-- Entities as the front door shows them, through the view of the caller.

-- name: entities
-- Planned anew (pool.py).
-- Entities in sight, the latest seen first: now, or as they were believed at `known` and had been heard of by `as_of`.
-- `partly` tells that some mentions of no higher sensitivity are out of sight, those of a team: then `told` says which
-- aliases and properties were learnt in sight, and a filter by name does not look at the aliases. A name that was erased
-- since is called as the entity is today. Only those `among` are looked for. What only a page shows is looked up for those
-- on it, in one reading of their mentions; and rows of the past by their keys, for the planner takes them for one.
WITH span AS MATERIALIZED (
    SELECT * FROM seen_spans(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                             to_timestamp(%(as_of)s::float8), %(among)s)),
found AS (
    SELECT e.*, g.first_seen, g.last_seen, g.mention_count, coalesce(n.words, y.words) AS shown_name, a.words AS sought
    FROM span g
    CROSS JOIN LATERAL (SELECT x.* FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                        WHERE x.entity_id = g.entity_id AND x.merged_into IS NULL OFFSET 0) e
    LEFT JOIN entities x ON %(known)s::float8 IS NOT NULL AND x.user_id = e.user_id AND x.entity_id = e.entity_id
    LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    LEFT JOIN content y ON %(known)s::float8 IS NOT NULL AND y.scope = 'user:' || e.user_id AND y.content_id = x.name
    LEFT JOIN content a ON %(name)s::text IS NOT NULL AND a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
    WHERE coalesce(n.words, y.words) IS NOT NULL
      AND (%(ids)s::text[] IS NULL OR e.entity_id = ANY(%(ids)s))
      AND (%(type)s::text IS NULL OR e.type = %(type)s)
      AND (%(tier)s::text IS NULL OR e.tier = %(tier)s)
      AND (e.state = %(state)s OR (%(state)s::text IS NULL AND (e.state <> 'archived' OR %(ids)s::text[] IS NOT NULL)))),
kept AS MATERIALIZED (
    SELECT * FROM found f
    WHERE %(name)s::text IS NULL OR lower(shown_name) = lower(%(name)s)
       OR (lower(coalesce(sought, '[]'))::jsonb ? lower(%(name)s)
           AND NOT EXISTS (SELECT FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) m
                           WHERE m.entity_id = f.entity_id AND m.sensitivity <= %(clearance)s
                             AND NOT EXISTS (SELECT FROM seen_segments(%(scopes)s, %(clearance)s) s
                                             WHERE s.segment_key = m.segment_key)))),
page AS MATERIALIZED (
    SELECT k.*, extract(epoch FROM k.last_seen)::float8 AS mark, k.entity_id AS key FROM kept k
    WHERE %(mark)s::float8 IS NULL OR (k.last_seen, k.entity_id) < (to_timestamp(%(mark)s), %(key)s)
    ORDER BY k.last_seen DESC, k.entity_id DESC LIMIT %(limit)s),
heard AS (
    SELECT m.entity_id, s.scope, src.session_id, s.source_id, max(m.confidence) AS confidence,
           min(m.sensitivity) AS least, bool_or(%(as_of)s::float8 IS NULL OR m.at <= to_timestamp(%(as_of)s)) AS by_then
    FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) m
    LEFT JOIN (segments s JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
                                          AND src.sensitivity <= %(clearance)s)
         ON s.segment_key = m.segment_key AND s.scope = ANY(%(scopes)s) AND s.replaced_by IS NULL
    WHERE m.entity_id = ANY(ARRAY(SELECT entity_id FROM page))
    GROUP BY m.entity_id, s.scope, src.session_id, s.source_id),
figures AS MATERIALIZED (
    SELECT h.entity_id, count(DISTINCT (h.scope, h.session_id)) FILTER (WHERE by_then) AS session_count,
           count(*) FILTER (WHERE by_then) AS source_count, max(h.confidence) AS seen_confidence
    FROM heard h WHERE h.source_id IS NOT NULL GROUP BY h.entity_id),
out_of_sight AS MATERIALIZED (
    SELECT h.entity_id FROM heard h WHERE h.source_id IS NULL AND h.least <= %(clearance)s)
SELECT k.*, coalesce(g.session_count, 0) AS session_count, coalesce(g.source_count, 0) AS source_count,
       g.seen_confidence, r.*, (SELECT count(*) FROM kept) AS total,
       (SELECT a.words FROM content a WHERE a.scope = 'user:' || k.user_id AND a.content_id = k.aliases)
           AS shown_aliases,
       (SELECT p.words FROM content p WHERE p.scope = 'user:' || k.user_id AND p.content_id = k.properties)
           AS shown_properties,
       (SELECT d.words FROM content d WHERE d.scope = 'user:' || k.user_id AND d.content_id = k.description)
           AS shown_description,
       k.entity_id IN (SELECT entity_id FROM out_of_sight) AS partly
FROM page k
LEFT JOIN figures g ON g.entity_id = k.entity_id
CROSS JOIN LATERAL recalls_of(k.user_id, k.entity_id) r
ORDER BY k.last_seen DESC, k.entity_id DESC;

-- name: called
-- Entities that may be meant by a name: those that are, or were at `known`, called so or have it among their aliases.
SELECT e.entity_id
FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) e
LEFT JOIN entities x ON %(known)s::float8 IS NOT NULL AND x.user_id = e.user_id AND x.entity_id = e.entity_id
LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN content y ON %(known)s::float8 IS NOT NULL AND y.scope = 'user:' || e.user_id AND y.content_id = x.name
LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
WHERE e.merged_into IS NULL
  AND (lower(coalesce(n.words, y.words)) = lower(%(name)s) OR lower(coalesce(a.words, '[]'))::jsonb ? lower(%(name)s));

-- name: entities_now
-- Planned anew (pool.py).
-- Which entities a page of `entities` shows, for what is believed now, without a name to look for: the one list that is
-- asked for all the time. Each table is read once, by columns as narrow as can be: `heard` has every mention, with
-- numbers for its source and session where it is in sight. `entities_shown` looks up the words.
WITH source AS MATERIALIZED (
    SELECT scope, source_id, row_number() OVER () AS number, dense_rank() OVER (ORDER BY scope, session_id) AS session
    FROM sources WHERE scope = ANY(%(scopes)s) AND sensitivity <= %(clearance)s),
heard AS MATERIALIZED (
    SELECT m.entity_id, m.at, m.confidence, m.sensitivity, s.number AS source, s.session
    FROM mentions m
    LEFT JOIN (SELECT t.segment_key, src.number, src.session
               FROM segments t JOIN source src ON src.scope = t.scope AND src.source_id = t.source_id
               WHERE t.scope = ANY(%(scopes)s) AND t.replaced_by IS NULL) s ON s.segment_key = m.segment_key
    WHERE m.user_id = %(user_id)s),
span AS MATERIALIZED (
    SELECT h.entity_id, min(h.at) AS first_seen, max(h.at) AS last_seen, count(*) AS mention_count
    FROM heard h WHERE h.source IS NOT NULL
    GROUP BY h.entity_id),
known AS MATERIALIZED (
    SELECT e.entity_id, e.created_at, e.sensitivity, s.first_seen, s.last_seen, s.mention_count
    FROM entities e LEFT JOIN span s ON s.entity_id = e.entity_id
    WHERE e.user_id = %(user_id)s AND e.merged_into IS NULL
      AND (%(type)s::text IS NULL OR e.type = %(type)s)
      AND (%(tier)s::text IS NULL OR e.tier = %(tier)s)
      AND (e.state = %(state)s OR (%(state)s::text IS NULL AND e.state <> 'archived'))),
kept AS MATERIALIZED (
    SELECT k.entity_id, k.first_seen, k.last_seen, k.mention_count FROM known k WHERE k.mention_count IS NOT NULL
    UNION ALL
    SELECT k.entity_id, u.first_seen, u.last_seen, 0 FROM known k
    CROSS JOIN LATERAL seen_unmentioned(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, k.entity_id, k.created_at) u
    WHERE k.mention_count IS NULL AND k.sensitivity <= %(clearance)s),
page AS MATERIALIZED (
    SELECT k.*, (SELECT count(*) FROM kept) AS total FROM kept k
    WHERE %(mark)s::float8 IS NULL OR (k.last_seen, k.entity_id) < (to_timestamp(%(mark)s), %(key)s)
    ORDER BY k.last_seen DESC, k.entity_id DESC LIMIT %(limit)s)
SELECT p.*, extract(epoch FROM p.last_seen)::float8 AS mark, p.entity_id AS key,
       coalesce(g.session_count, 0) AS session_count, coalesce(g.source_count, 0) AS source_count, g.seen_confidence,
       coalesce(g.partly, false) AS partly
FROM page p
LEFT JOIN (
    SELECT h.entity_id, count(DISTINCT h.session) AS session_count, count(DISTINCT h.source) AS source_count,
           max(h.confidence) FILTER (WHERE h.source IS NOT NULL) AS seen_confidence,
           bool_or(h.source IS NULL AND h.sensitivity <= %(clearance)s) AS partly
    FROM heard h WHERE h.entity_id IN (SELECT entity_id FROM page)
    GROUP BY h.entity_id) g ON g.entity_id = p.entity_id
ORDER BY p.last_seen DESC, p.entity_id DESC;

-- name: entities_shown
-- Planned once (pool.py): planning all this for each page took longer than to find it by its keys.
-- What a page shows of these entities beside `entities_now`: what is stored of each, in words.
SELECT e.*, r.*, n.words AS shown_name, a.words AS shown_aliases, p.words AS shown_properties,
       d.words AS shown_description
FROM entities e
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN content a ON a.scope = 'user:' || e.user_id AND a.content_id = e.aliases
LEFT JOIN content p ON p.scope = 'user:' || e.user_id AND p.content_id = e.properties
LEFT JOIN content d ON d.scope = 'user:' || e.user_id AND d.content_id = e.description
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
CROSS JOIN LATERAL (SELECT FROM seen_entity(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                                            NULL, c.entity_id) LIMIT 1) seen
WHERE c.merged_into IS NULL
ORDER BY c.given <> %(id)s, c.given LIMIT 2;

-- name: last_words
-- When the last word against each of these entities was said, and the last one for it (`contradictions` in
-- memory/rules/tiers.py says which count), by the facts in sight. Only of those that something speaks against: most have
-- nothing, so whether a fact is in sight is asked only of the facts about the others (`suspect`).
WITH suspect AS MATERIALIZED (
    SELECT DISTINCT coalesce(f.object_id, f.subject_id) AS about_id FROM fact_versions f
    WHERE f.user_id = %(user_id)s AND f.status IN ('superseded', 'invalidated')
      AND (f.object_id = ANY(%(ids)s) OR (f.object_id IS NULL AND f.subject_id = ANY(%(ids)s)))
      AND (f.system_to IS NULL OR %(known)s::float8 IS NOT NULL)),
about AS MATERIALIZED (
    SELECT coalesce(f.object_id, f.subject_id) AS about_id, f.fact_id, f.status, f.valid_from, f.valid_to,
           f.system_from, f.protected
    FROM seen_facts_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8)) f
    WHERE f.fact_id = ANY(ARRAY(
              SELECT v.fact_id FROM fact_versions v
              WHERE v.user_id = %(user_id)s AND (v.system_to IS NULL OR %(known)s::float8 IS NOT NULL)
                AND (v.object_id = ANY(ARRAY(SELECT about_id FROM suspect))
                     OR (v.object_id IS NULL AND v.subject_id = ANY(ARRAY(SELECT about_id FROM suspect))))))
      AND (%(as_of)s::float8 IS NULL
           OR (f.valid_from <= to_timestamp(%(as_of)s) AND (f.valid_to IS NULL OR f.status = 'active'
                                                            OR f.valid_to <= to_timestamp(%(as_of)s))))),
denied AS MATERIALIZED (
    SELECT a.about_id, max(coalesce(a.valid_to, a.system_from)) AS against
    FROM about a WHERE a.status IN ('superseded', 'invalidated')
    GROUP BY a.about_id)
SELECT d.about_id, d.against,
       (SELECT max(greatest(a.valid_from, CASE WHEN a.protected THEN a.system_from END,
                            (SELECT max(v.at)
                             FROM seen_evidence_known(%(user_id)s, %(scopes)s, %(clearance)s,
                                                      to_timestamp(%(known)s::float8)) v
                             WHERE v.fact_id = a.fact_id
                               AND (%(as_of)s::float8 IS NULL OR v.at <= to_timestamp(%(as_of)s)))))
        FROM about a WHERE a.about_id = d.about_id AND a.status = 'active') AS affirmed
FROM denied d;

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
SELECT s.segment_id, s.source_id, spoken_by(s.scope, s.speaker) AS speaker, s.at, c.words AS text
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
SELECT k.note_id, k.author, k.created_at, k.lifetime, c.words AS text, k.mark, k.key,
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
CROSS JOIN LATERAL (SELECT FROM seen_entity(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8),
                                            to_timestamp(%(as_of)s::float8), every.entity_id) LIMIT 1) seen
CROSS JOIN LATERAL (SELECT x.* FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
                    WHERE x.entity_id = every.entity_id AND x.merged_into IS NULL OFFSET 0) e
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
LEFT JOIN near ON near.entity_id = every.entity_id
ORDER BY e.entity_id NOT IN (SELECT entity_id FROM tied), mentioned_together DESC, e.entity_id LIMIT 50;

-- name: promised
-- Where each of these promises was first made, in sight, and the words of somebody else right before (an hour at most).
-- The first mention of each comes first: all that is looked up then was looked up for every mention.
SELECT m.entity_id, m.source_id, s.segment_id, q.words AS quote, f.statement, b.words AS answering,
       (SELECT o.offset_s FROM sources o WHERE o.scope = s.scope AND o.source_id = s.source_id) AS offset_s
FROM unnest(%(ids)s::text[]) AS made (id)
CROSS JOIN LATERAL (
    SELECT x.* FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) x
    WHERE x.entity_id = made.id ORDER BY x.at, x.segment_key LIMIT 1) m
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
LEFT JOIN LATERAL (
    SELECT w.speaker, c.words
    FROM segments w
    JOIN content c ON c.scope = w.scope AND c.content_id = w.content_id
    WHERE w.scope = s.scope AND w.source_id = s.source_id AND w.replaced_by IS NULL
      AND w.at BETWEEN s.at - interval '1 hour' AND s.at AND (w.at, w.ord) < (s.at, s.ord)
    ORDER BY w.at DESC, w.ord DESC LIMIT 1) b ON b.speaker <> s.speaker
ORDER BY m.entity_id;
