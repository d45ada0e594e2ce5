-- The census: a memory as columns for the night, read in one consistent moment.

-- name: version
SELECT version FROM users WHERE user_id = %(user_id)s;

-- name: entities
-- Every living entity; sessions as the device called them, for a long silence splits one session into several sources.
-- What more sensitive words than those that named it first say of an entity, or of a fact about it, moves neither.
WITH seen AS (
    SELECT m.entity_id, count(*) AS mentions, min(m.at) FILTER (WHERE m.sensitivity <= e.sensitivity) AS first_seen,
           max(m.at) FILTER (WHERE m.sensitivity <= e.sensitivity) AS last_seen,
           count(DISTINCT coalesce(src.scope || ' ' || src.session_id, m.source_id))
               FILTER (WHERE m.sensitivity <= e.sensitivity) AS sessions
    FROM mentions m
    JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id
    LEFT JOIN segments s ON s.segment_key = m.segment_key
         AND s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
    LEFT JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
    WHERE m.user_id = %(user_id)s
    GROUP BY m.entity_id),
joined AS (
    SELECT m.entity_id, min(g.sensitivity) AS sensitivity
    FROM groups g CROSS JOIN LATERAL unnest(g.members) AS m (entity_id)
    WHERE g.user_id = %(user_id)s AND g.kind = 'community'
    GROUP BY m.entity_id)
SELECT e.entity_id AS ids, coalesce(s.mentions, 0) + coalesce(a.count, 0) AS stamp,
       array_position(%(tiers)s, e.tier) - 1 AS tier, array_position(%(states)s, e.state) - 1 AS state,
       array_position(%(ttl_policies)s, e.ttl_policy) - 1 AS ttl, e.is_owner AS owner, e.confidence,
       coalesce(s.first_seen, e.created_at) AS first_seen, coalesce(s.last_seen, e.created_at) AS last_seen,
       coalesce(s.sessions, 0) AS sessions, e.type = ANY(%(evergreen)s) AS evergreen,
       e.type = ANY(%(lasting)s) AS lasting, e.type = 'promise' AS promised,
       CASE WHEN e.type = 'promise' THEN p.words END AS properties, j.entity_id IS NOT NULL AS in_community,
       coalesce(a.count, 0) AS count, a.last_at AS accessed_at, coalesce(a.value, 0) AS value,
       coalesce(a.gradient, 1) AS gradient
FROM entities e
LEFT JOIN seen s ON s.entity_id = e.entity_id
LEFT JOIN joined j ON j.entity_id = e.entity_id AND j.sensitivity <= e.sensitivity
LEFT JOIN accesses a ON a.user_id = e.user_id AND a.id = e.entity_id
LEFT JOIN content p ON e.type = 'promise' AND p.scope = 'user:' || e.user_id AND p.content_id = e.properties
WHERE e.user_id = %(user_id)s AND e.merged_into IS NULL;

-- name: facts
-- Every open version, or what was told in the sources `among`; about whom or what it is, as far as that decides over
-- its floor and over contradictions. It was gathered if consolidations that are no more sensitive hold all its
-- sources, and none of these names it (memory/rules/episodes.py). Groups that are `arranged` count as they are to
-- stand. `passing`: only ephemeral sources told it.
WITH holding AS (
    SELECT g.members, g.facts, g.sensitivity FROM groups g
    WHERE g.user_id = %(user_id)s AND g.kind = 'consolidation' AND g.group_id <> ALL (%(arranged)s::text[])),
gathering AS (
    SELECT s.source_id, min(s.level) AS level
    FROM (SELECT unnest(h.members) AS source_id, h.sensitivity AS level FROM holding h
          UNION ALL SELECT * FROM unnest(%(gathered)s::text[], %(gathered_levels)s::smallint[])) s
    GROUP BY s.source_id),
naming AS (
    SELECT s.fact_id, min(s.level) AS level
    FROM (SELECT unnest(h.facts) AS fact_id, h.sensitivity AS level FROM holding h
          UNION ALL SELECT * FROM unnest(%(named)s::text[], %(named_levels)s::smallint[])) s
    GROUP BY s.fact_id),
said AS (
    SELECT v.fact_id, max(v.at) AS said_at, bool_and(g.source_id IS NOT NULL) AS gathered, max(g.level) AS level,
           bool_and(src.ttl_policy IS NOT DISTINCT FROM 'ephemeral') AS passing
    FROM evidence v
    LEFT JOIN gathering g ON g.source_id = v.source_id
    LEFT JOIN sources src ON src.scope = %(scope)s AND src.source_id = v.source_id
    WHERE v.user_id = %(user_id)s GROUP BY v.fact_id),
evergreen AS (
    SELECT e.entity_id FROM entities e
    WHERE e.user_id = %(user_id)s AND e.type = ANY(%(evergreen)s) AND NOT e.is_owner)
SELECT f.fact_id AS ids, f.version + coalesce(a.count, 0) AS stamp,
       array_position(%(statuses)s, f.status) - 1 AS status, array_position(%(states)s, f.state) - 1 AS state,
       x.entity_id AS about, f.confidence, f.stability,
       coalesce(f.updated_at, f.system_from) AS since, f.protected, f.importance,
       f.kind = 'preference' AND f.valid_to IS NULL AS preference,
       s.entity_id IS NOT NULL OR o.entity_id IS NOT NULL AS evergreen, f.valid_from, f.valid_to, f.system_from,
       v.said_at, coalesce(v.gathered AND v.level <= f.sensitivity, false)
                  AND coalesce(n.level > f.sensitivity, true) AS gathered,
       coalesce(v.passing, false) AS passing,
       coalesce(a.count, 0) AS count, a.last_at AS accessed_at, coalesce(a.value, 0) AS value,
       coalesce(a.gradient, 1) AS gradient
FROM fact_versions f
LEFT JOIN said v ON v.fact_id = f.fact_id
LEFT JOIN naming n ON n.fact_id = f.fact_id
LEFT JOIN evergreen s ON s.entity_id = f.subject_id
LEFT JOIN evergreen o ON o.entity_id = f.object_id
LEFT JOIN entities x ON x.user_id = f.user_id AND x.entity_id = coalesce(f.object_id, f.subject_id)
                     AND x.sensitivity >= f.sensitivity
LEFT JOIN accesses a ON a.user_id = f.user_id AND a.id = f.fact_id
WHERE f.user_id = %(user_id)s AND f.system_to IS NULL
  AND (%(among)s::text[] IS NULL
       OR f.fact_id IN (SELECT e.fact_id FROM evidence e
                        WHERE e.user_id = %(user_id)s AND e.source_id = ANY (%(among)s::text[])));

-- name: sources
-- Sources of the user's own scope; what is not over by its own words is over with its last segment.
WITH gathered AS (
    SELECT DISTINCT m.source_id FROM groups g CROSS JOIN LATERAL unnest(g.members) AS m (source_id)
    WHERE g.user_id = %(user_id)s AND g.kind = 'consolidation')
SELECT s.source_id AS ids, array_position(%(states)s, s.state) - 1 AS state,
       array_position(%(ttl_policies)s, s.ttl_policy) - 1 AS ttl, s.started_at,
       coalesce(s.ended_at, (SELECT max(e.at) FROM segments e WHERE e.scope = s.scope AND e.source_id = s.source_id),
                s.started_at) AS ended_at,
       g.source_id IS NOT NULL AS consolidated, coalesce(a.count, 0) AS count, a.last_at AS accessed_at, coalesce(a.value, 0) AS value, coalesce(a.gradient, 1) AS gradient
FROM sources s
LEFT JOIN gathered g ON g.source_id = s.source_id
LEFT JOIN accesses a ON a.user_id = %(user_id)s AND a.id = %(prefix)s || s.source_id
WHERE s.scope = %(scope)s;

-- name: groups
-- Every storyline and macro, of every level.
SELECT g.group_id AS ids, array_position(%(states)s, g.state) - 1 AS state, g.kind = 'macro' AS macro, g.opened_at,
       g.last_at, coalesce(a.count, 0) AS count, a.last_at AS accessed_at, coalesce(a.value, 0) AS value,
       coalesce(a.gradient, 1) AS gradient
FROM groups g
LEFT JOIN accesses a ON a.user_id = g.user_id AND a.id = g.group_id
WHERE g.user_id = %(user_id)s AND g.kind IN ('storyline', 'macro');

-- name: fresh
-- Facts judged since the last night, the latest first, and the nearest others of the same subject by vector.
WITH fresh AS (
    SELECT f.fact_id, f.subject_id, f.sensitivity, v.vector
    FROM fact_versions f
    JOIN fact_vectors v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.encoder = %(encoder)s
    WHERE f.user_id = %(user_id)s AND f.system_to IS NULL AND f.status = 'active' AND f.kind <> 'meta'
      AND coalesce(f.updated_at, f.system_from) > (
          SELECT coalesce(max(n.at), '-infinity') FROM nights n WHERE n.user_id = %(user_id)s AND n.plan IS NULL)
    ORDER BY coalesce(f.updated_at, f.system_from) DESC, f.fact_id LIMIT %(most)s),
near AS (
    SELECT o.fact_id FROM fresh, LATERAL (
        SELECT g.fact_id
        FROM fact_versions g
        JOIN fact_vectors w ON w.user_id = g.user_id AND w.fact_id = g.fact_id AND w.encoder = %(encoder)s
        WHERE g.user_id = %(user_id)s AND g.subject_id = fresh.subject_id AND g.system_to IS NULL
          AND g.sensitivity = fresh.sensitivity
          AND g.status = 'active' AND g.fact_id <> fresh.fact_id
        ORDER BY w.vector <=> fresh.vector, g.fact_id LIMIT %(neighbours)s) o)
SELECT f.*, vector_send(v.vector) AS vector
FROM fact_versions f
JOIN fact_vectors v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.encoder = %(encoder)s
WHERE f.user_id = %(user_id)s AND f.system_to IS NULL
  AND f.fact_id IN (SELECT fact_id FROM fresh UNION SELECT fact_id FROM near)
ORDER BY f.fact_id;

-- name: words
SELECT content_id, words FROM content WHERE scope = %(scope)s AND content_id = ANY(%(ids)s);

-- name: notes
SELECT note_id, about_id, author, created_at, lifetime, source_id FROM notes WHERE user_id = %(user_id)s;

-- name: pending
SELECT count(*) FILTER (WHERE task = 'embed') AS embedding, count(*) FILTER (WHERE task = 'read') AS extraction
FROM work WHERE scope = %(scope)s AND user_id IN ('', %(user_id)s);

-- name: held
-- What the last night that is over took back, or left because an earlier one had.
SELECT jsonb_build_object('proof', jsonb_build_object('taken_back', n.report -> 'proof' -> 'taken_back')) || (
           SELECT coalesce(jsonb_object_agg(s.key, jsonb_build_object('held_back', s.value -> 'held_back')), '{}')
           FROM jsonb_each(n.report) s
           WHERE jsonb_typeof(s.value) = 'object' AND s.key <> 'proof' AND s.value ? 'held_back') AS report
FROM nights n WHERE n.user_id = %(user_id)s AND n.plan IS NULL ORDER BY n.night DESC LIMIT 1;
