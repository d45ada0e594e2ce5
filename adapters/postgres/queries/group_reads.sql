-- Storylines, macros and consolidations as a caller sees them, with what they hold as far as it is in sight; one of which
-- no source is in sight is not there. Of storylines and macros those of the highest sensitivity in sight are shown, which
-- hold what the lower ones do. Consolidations of different sensitivities hold different sources, so all are shown.

-- name: groups
-- Groups of a kind, those told of last first; the archived only where they are asked for by state or by id.
WITH known AS (
    SELECT g.*, CASE WHEN g.kind <> 'macro' THEN g.members ELSE (
               SELECT array_agg(m) FROM groups l CROSS JOIN unnest(l.members) AS m
               WHERE l.user_id = g.user_id AND l.group_id = ANY (g.members)) END AS told
    FROM groups g
    WHERE g.user_id = %(user_id)s AND g.kind = %(kind)s
      AND (%(ids)s::text[] IS NULL OR g.group_id = ANY (%(ids)s))
      AND (g.state = %(state)s OR (%(state)s::text IS NULL AND (g.state <> 'archived' OR %(ids)s::text[] IS NOT NULL)))
      AND g.sensitivity <= %(clearance)s
      AND (g.kind = 'consolidation'
           OR g.sensitivity = (SELECT max(h.sensitivity) FROM groups h
                               WHERE h.user_id = g.user_id AND h.kind = g.kind AND h.anchor_id = g.anchor_id
                                 AND h.sensitivity <= %(clearance)s))),
shown AS (
    SELECT k.group_id, k.kind, k.anchor_id, e.type AS anchor_type, n.words AS anchor, k.members, k.quotes, k.dirty, k.told,
           k.closed_at, k.state, k.summary, seen.sources, seen.first_at, seen.last_at
    FROM known k
    JOIN entities e ON e.user_id = k.user_id AND e.entity_id = k.anchor_id AND e.sensitivity <= %(clearance)s
    LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
    CROSS JOIN LATERAL (
        SELECT count(*) AS sources, min(s.started_at) AS first_at, max(s.started_at) AS last_at FROM sources s
        WHERE s.scope = ANY (%(scopes)s) AND s.sensitivity <= %(clearance)s AND s.source_id = ANY (k.told)) seen
    WHERE seen.sources > 0
      AND (%(entity)s::text IS NULL OR e.entity_id = %(entity)s OR lower(n.words) = lower(%(entity)s))
      AND (%(open)s::boolean IS NULL OR (k.closed_at IS NULL) = %(open)s)
      AND (%(after)s::float8 IS NULL OR greatest(seen.last_at, k.closed_at) >= to_timestamp(%(after)s))
      AND (%(before)s::float8 IS NULL OR seen.first_at < to_timestamp(%(before)s)))
SELECT s.*, s.group_id AS id, c.words AS text, extract(epoch FROM s.last_at)::float8 AS mark, s.group_id AS key,
       (SELECT count(*) FROM shown) AS total
FROM shown s
LEFT JOIN content c ON c.scope = 'user:' || %(user_id)s::text AND c.content_id = s.summary
WHERE %(mark)s::float8 IS NULL OR (s.last_at, s.group_id) < (to_timestamp(%(mark)s), %(key)s::text)
ORDER BY s.last_at DESC, s.group_id DESC LIMIT %(limit)s;

-- name: full_id
-- Ids that begin so, of groups of a kind: an id may be given by its beginning.
SELECT g.group_id AS id FROM groups g
WHERE g.user_id = %(user_id)s AND g.kind = %(kind)s AND starts_with(g.group_id, %(id)s) AND g.sensitivity <= %(clearance)s
ORDER BY g.group_id <> %(id)s, g.group_id LIMIT 2;

-- name: sources
-- Sources that tell of an anchor, the latest first, each with the segments that name it.
SELECT s.source_id, s.kind, s.session_id, s.started_at AS at, extract(epoch FROM s.started_at)::float8 AS mark,
       s.source_id AS key, %(total)s::int AS total,
       (SELECT coalesce(array_agg(m.segment_key ORDER BY m.at, m.segment_key), '{}') FROM mentions m
        WHERE m.user_id = %(user_id)s AND m.entity_id = %(anchor)s AND m.source_id = s.source_id
          AND m.sensitivity <= %(clearance)s) AS keys
FROM sources s
WHERE s.scope = ANY (%(scopes)s) AND s.sensitivity <= %(clearance)s AND s.source_id = ANY (%(told)s)
  AND (%(mark)s::float8 IS NULL OR (s.started_at, s.source_id) < (to_timestamp(%(mark)s), %(key)s::text))
ORDER BY s.started_at DESC, s.source_id DESC LIMIT %(limit)s;

-- name: holding
-- Storylines in which these sources are, by the place of the source, and whether a segment names the anchor.
SELECT g.group_id, a.place, EXISTS (
           SELECT FROM mentions m WHERE m.user_id = g.user_id AND m.entity_id = g.anchor_id AND m.segment_key = a.key) AS named
FROM unnest(%(sources)s::text[], %(segments)s::bigint[]) WITH ORDINALITY AS a (source, key, place)
JOIN groups g ON g.user_id = %(user_id)s AND g.kind = 'storyline' AND a.source = ANY (g.members)
     AND g.sensitivity <= %(clearance)s;

-- name: macros_of
SELECT g.group_id, g.members FROM groups g
WHERE g.user_id = %(user_id)s AND g.kind = 'macro' AND g.members && %(ids)s AND g.sensitivity <= %(clearance)s;

-- name: insights
-- Facts that several sources of these consolidations support, in order, each with the segments in sight that do. Behind
-- one that a model has put into words stand those of the facts that it rests on.
SELECT g.group_id, v.fact_id, t.words AS statement, v.kind = 'meta' AS generated,
       array_agg(x.segment_key ORDER BY x.at, x.segment_key) AS keys
FROM groups g
CROSS JOIN LATERAL unnest(g.facts) WITH ORDINALITY AS q (fact_id, place)
JOIN fact_versions v ON v.user_id = g.user_id AND v.fact_id = q.fact_id AND v.system_to IS NULL AND v.status = 'active'
     AND v.sensitivity <= %(clearance)s
     AND (v.kind <> 'meta' OR EXISTS (SELECT FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
                                      WHERE f.fact_id = v.fact_id AND f.system_to IS NULL))
CROSS JOIN LATERAL (
    SELECT v.fact_id AS ground
    UNION ALL
    SELECT k.to_id FROM links k
    WHERE k.user_id = g.user_id AND k.kind = 'derived_from' AND k.from_id = v.fact_id AND v.kind = 'meta') r
JOIN seen_evidence(%(user_id)s, %(scopes)s, %(clearance)s) x ON x.fact_id = r.ground AND x.segment_key <> 0
     AND x.source_id = ANY (g.members)
JOIN content t ON t.scope = 'user:' || g.user_id AND t.content_id = v.statement
WHERE g.user_id = %(user_id)s AND g.group_id = ANY (%(ids)s) AND g.kind = 'consolidation'
GROUP BY g.group_id, q.place, v.fact_id, v.kind, t.words ORDER BY g.group_id, q.place;
