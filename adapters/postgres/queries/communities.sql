-- Communities and patterns: what a night finds them with, and what the front door shows of them.

-- name: standing
SELECT * FROM groups WHERE user_id = %(user_id)s AND kind IN ('community', 'pattern') ORDER BY group_id;

-- name: communities
-- Communities of the highest level in sight, the largest first, with those of their members who are in sight. A level at
-- which nothing was found shows those of the next lower one (memory/services/communities.py).
WITH sight AS MATERIALIZED (
    SELECT s.entity_id FROM seen_entities_known(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL) s),
level AS MATERIALIZED (
    SELECT max(g.sensitivity) AS level FROM groups g
    WHERE g.user_id = %(user_id)s AND g.kind = 'community' AND g.sensitivity <= %(clearance)s),
found AS MATERIALIZED (
    SELECT g.group_id, g.opened_at, g.core, g.named_by, array_agg(m.entity_id ORDER BY m.place) AS members
    FROM groups g
    JOIN level l ON l.level = g.sensitivity
    CROSS JOIN LATERAL unnest(g.members) WITH ORDINALITY AS m (entity_id, place)
    JOIN sight s ON s.entity_id = m.entity_id
    WHERE g.user_id = %(user_id)s AND g.kind = 'community'
      AND (%(id)s::text IS NULL OR starts_with(g.group_id, %(id)s))
    GROUP BY g.user_id, g.group_id
    HAVING count(*) > 1)
SELECT f.group_id, f.group_id AS id, f.opened_at, f.members,
       (SELECT coalesce(array_agg(n.words ORDER BY c.place), '{}')
        FROM unnest(f.named_by) WITH ORDINALITY AS c (entity_id, place)
        JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = c.entity_id AND e.entity_id = ANY(f.members)
        JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name) AS named,
       ARRAY(SELECT c FROM unnest(f.core) AS c WHERE c = ANY(f.members)) AS core,
       (SELECT count(*) FROM seen_patterns(%(user_id)s, %(scopes)s, %(clearance)s) p
        WHERE p.members = ARRAY[f.group_id]) AS patterns,
       cardinality(f.members)::float8 AS mark, f.group_id AS key, (SELECT count(*) FROM found) AS total
FROM found f
WHERE %(mark)s::float8 IS NULL OR (cardinality(f.members), f.group_id) < (%(mark)s, %(key)s)
ORDER BY cardinality(f.members) DESC, f.group_id DESC LIMIT %(limit)s;

-- name: segments
-- Where two of these entities are mentioned together, the latest first.
SELECT s.segment_id, s.source_id, spoken_by(s.scope, s.speaker) AS speaker, s.at, c.words AS text
FROM (SELECT m.segment_key, max(m.at) AS at
      FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
      WHERE m.entity_id = ANY(%(ids)s)
      GROUP BY m.segment_key HAVING count(*) > 1
      ORDER BY max(m.at) DESC, m.segment_key LIMIT %(limit)s) t
JOIN segments s ON s.segment_key = t.segment_key AND s.scope = ANY(%(scopes)s)
JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
ORDER BY s.at DESC, s.segment_key;

-- name: patterns
-- Patterns of the highest level in sight, the latest first; one whose community, or anything of what it quotes, is out of
-- sight is left out.
WITH level AS MATERIALIZED (
    SELECT max(g.sensitivity) AS level FROM groups g
    WHERE g.user_id = %(user_id)s AND g.kind = 'community' AND g.sensitivity <= %(clearance)s),
found AS MATERIALIZED (
    SELECT g.* FROM seen_patterns(%(user_id)s, %(scopes)s, %(clearance)s) g JOIN level l ON l.level = g.sensitivity
    WHERE (%(id)s::text IS NULL OR starts_with(g.group_id, %(id)s))
      AND (%(community)s::text IS NULL OR g.members = ARRAY[%(community)s]))
SELECT f.group_id, f.group_id AS id, f.members[1] AS community_id, f.opened_at,
       (SELECT coalesce(array_agg(n.words ORDER BY c.place), '{}')
        FROM unnest(f.named_by) WITH ORDINALITY AS c (entity_id, place)
        JOIN entities e ON e.user_id = f.user_id AND e.entity_id = c.entity_id
        JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name) AS about,
       extract(epoch FROM f.opened_at)::float8 AS mark, f.group_id AS key, (SELECT count(*) FROM found) AS total
FROM found f
WHERE %(mark)s::float8 IS NULL OR (f.opened_at, f.group_id) < (to_timestamp(%(mark)s), %(key)s)
ORDER BY f.opened_at DESC, f.group_id DESC LIMIT %(limit)s;

-- name: quoted
-- What these patterns quote, in order: facts with where each was first said in sight, and segments.
SELECT g.group_id, q.place, q.fact_id, t.words AS statement, s.segment_id, s.source_id,
       spoken_by(s.scope, s.speaker) AS speaker, s.at, c.words AS text
FROM groups g
CROSS JOIN LATERAL (
    SELECT f.place, f.fact_id, NULL::bigint AS segment_key FROM unnest(g.facts) WITH ORDINALITY AS f (fact_id, place)
    UNION ALL
    SELECT k.place, NULL, k.segment_key FROM unnest(g.quotes) WITH ORDINALITY AS k (segment_key, place)) q
LEFT JOIN fact_versions v ON v.user_id = g.user_id AND v.fact_id = q.fact_id AND v.system_to IS NULL
LEFT JOIN content t ON t.scope = 'user:' || g.user_id AND t.content_id = v.statement
LEFT JOIN LATERAL (
    SELECT x.segment_key FROM seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) x
    WHERE x.fact_id = q.fact_id AND x.segment_key <> 0 ORDER BY x.at, x.segment_key LIMIT 1) e ON true
LEFT JOIN segments s ON s.segment_key = coalesce(q.segment_key, e.segment_key) AND s.scope = ANY(%(scopes)s)
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
WHERE g.user_id = %(user_id)s AND g.group_id = ANY(%(ids)s)
ORDER BY g.group_id, q.place;
