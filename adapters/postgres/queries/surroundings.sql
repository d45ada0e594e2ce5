-- What lies around the hits of a question, through the view of the caller: what a context is assembled of.

-- name: around
-- Planned once (pool.py).
-- One row. `facts`: those the hits carry (`told`), what took their place and the place of that, gave way to them or
-- stands against them, and the most important of whom and what the hits mention most; `turns`: what was said just before
-- and after each hit.
-- Whether a fact is in sight is looked up row by row in the order of importance, so that it stops at the limit. What is
-- an hour away is not beside a hit, and the search for it would go through all later segments of the scope.
WITH RECURSIVE hits AS MATERIALIZED (
    SELECT s.scope, s.source_id, s.segment_key, s.at, s.ord
    FROM seen_segments(%(scopes)s, %(clearance)s) s WHERE s.segment_key = ANY(%(keys)s::bigint[])),
subjects AS MATERIALIZED (
    SELECT coalesce(e.merged_into, e.entity_id) AS entity_id
    FROM hits h
    JOIN mentions m ON m.user_id = %(user_id)s AND m.segment_key = h.segment_key
    JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id
    WHERE %(known)s::float8 IS NULL
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT %(subjects)s),
ahead (fact_id, step) AS (
    SELECT c.fact_id, 0 FROM unnest(%(ids)s::text[]) AS c (fact_id)
    UNION
    SELECT k.from_id, a.step + 1
    FROM ahead a JOIN links k ON k.user_id = %(user_id)s AND k.kind = ANY (%(follows)s) AND k.to_id = a.fact_id
    WHERE a.step < %(steps)s),
near AS MATERIALIZED (
    SELECT c.fact_id, true AS told FROM unnest(%(ids)s::text[]) AS c (fact_id)
    UNION ALL
    SELECT a.fact_id, false FROM ahead a WHERE a.step > 0
    UNION ALL
    SELECT CASE WHEN k.from_id = ANY(%(ids)s) THEN k.to_id ELSE k.from_id END, false
    FROM links k
    WHERE k.user_id = %(user_id)s AND k.kind IN ('supersedes', 'disputes')
      AND (k.from_id = ANY(%(ids)s) OR k.to_id = ANY(%(ids)s))
    UNION ALL
    SELECT a.fact_id, false
    FROM subjects b
    CROSS JOIN LATERAL (
        SELECT f.fact_id
        FROM (SELECT v.fact_id, v.importance, v.valid_from
              FROM fact_versions v
              WHERE v.user_id = %(user_id)s AND v.subject_id = b.entity_id AND v.system_to IS NULL
                AND v.sensitivity <= %(clearance)s AND v.status = 'active' AND v.state <> 'archived'
              ORDER BY v.importance DESC, v.valid_from DESC, v.fact_id OFFSET 0) f
        CROSS JOIN LATERAL (
            SELECT FROM facts_then(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, ARRAY['active'], NULL, NULL, NULL, NULL) z
            WHERE z.fact_id = f.fact_id OFFSET 0) seen
        ORDER BY f.importance DESC, f.valid_from DESC, f.fact_id LIMIT %(facts)s) a),
facts AS MATERIALIZED (
    SELECT f.*, n.told
    FROM (SELECT x.fact_id, bool_or(x.told) AS told FROM near x GROUP BY x.fact_id) n
    CROSS JOIN LATERAL (
        SELECT z.* FROM facts_then(%(user_id)s, %(scopes)s, %(clearance)s, NULL, NULL, ARRAY['active', 'superseded'],
                                   NULL, NULL, NULL, NULL) z
        WHERE z.fact_id = n.fact_id OFFSET 0) f),
shown AS (
    SELECT f.fact_id, f.status, f.predicate, f.told, f.importance, e.type AS subject_type, n.words AS subject,
           t.words AS statement, extract(epoch FROM f.valid_from)::float8 AS valid_from,
           extract(epoch FROM f.valid_to)::float8 AS valid_to,
           (SELECT coalesce(jsonb_agg(k.from_id ORDER BY k.from_id), '[]') FROM links k JOIN facts z ON z.fact_id = k.from_id
            WHERE k.user_id = %(user_id)s AND k.kind = 'supersedes' AND k.to_id = f.fact_id) AS superseded_by,
           (SELECT coalesce(jsonb_agg(z.fact_id ORDER BY z.fact_id), '[]') FROM links k
            JOIN facts z ON z.fact_id = CASE WHEN k.from_id = f.fact_id THEN k.to_id ELSE k.from_id END
            WHERE k.user_id = %(user_id)s AND k.kind = 'disputes' AND f.fact_id IN (k.from_id, k.to_id)) AS disputes,
           -- words of another sensitivity end a fact for who sees both (decision 0025)
           CASE WHEN EXISTS (
               SELECT FROM links k
               JOIN fact_versions z ON z.user_id = k.user_id AND z.fact_id = k.from_id AND z.sensitivity <> f.sensitivity
               WHERE k.user_id = %(user_id)s AND k.kind IN ('supersedes', 'interrupts') AND k.to_id = f.fact_id)
           THEN against_known(%(user_id)s, %(scopes)s, %(clearance)s, NULL, f.fact_id, f.version) END AS against
    FROM facts f
    JOIN entities e ON e.user_id = f.user_id AND e.entity_id = f.subject_id
    JOIN content n ON n.scope = 'user:' || f.user_id AND n.content_id = e.name
    JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement),
turns AS (
    SELECT h.segment_key AS near, w.segment_key, w.source_id, w.segment_id,
           spoken_by(w.scope, w.speaker) AS speaker, c.words AS text,
           extract(epoch FROM w.at)::float8 AS at, src.offset_s
    FROM hits h
    CROSS JOIN LATERAL (
        (SELECT s.* FROM segments s
         WHERE s.scope = h.scope AND s.source_id = h.source_id AND s.replaced_by IS NULL
           AND s.at BETWEEN h.at - interval '1 hour' AND h.at AND (s.at, s.ord) < (h.at, h.ord) ORDER BY s.at DESC, s.ord DESC LIMIT 1)
        UNION ALL
        (SELECT s.* FROM segments s
         WHERE s.scope = h.scope AND s.source_id = h.source_id AND s.replaced_by IS NULL
           AND s.at BETWEEN h.at AND h.at + interval '1 hour' AND (s.at, s.ord) > (h.at, h.ord) ORDER BY s.at, s.ord LIMIT 1)) w
    JOIN sources src ON src.scope = w.scope AND src.source_id = w.source_id
    LEFT JOIN content c ON c.scope = w.scope AND c.content_id = w.content_id
    WHERE (%(as_of)s::float8 IS NULL OR w.at <= to_timestamp(%(as_of)s::float8))
      AND (%(known)s::float8 IS NULL OR w.committed_at <= to_timestamp(%(known)s::float8))
      AND w.segment_key <> ALL(%(keys)s::bigint[]))
SELECT (SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.told DESC, f.importance DESC, f.valid_from DESC, f.fact_id), '[]')
        FROM shown f) AS facts,
       (SELECT coalesce(jsonb_agg(to_jsonb(w) ORDER BY w.at, w.segment_key), '[]') FROM turns w) AS turns;

-- name: known_around
-- Planned once (pool.py).
-- `facts` as `around` has them, of what was believed at `known` and as it was believed then; `grounds` are the hits that
-- each rested on. Rows of the past are looked up one by one, laterally: only so the planner finds them by their keys.
WITH RECURSIVE hits AS MATERIALIZED (
    SELECT s.segment_key FROM seen_segments(%(scopes)s, %(clearance)s) s WHERE s.segment_key = ANY(%(keys)s::bigint[])),
subjects AS MATERIALIZED (
    SELECT coalesce(e.merged_into, e.entity_id) AS entity_id
    FROM hits h
    CROSS JOIN LATERAL (
        SELECT x.entity_id FROM mentions_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.segment_key = h.segment_key OFFSET 0) m
    CROSS JOIN LATERAL (
        SELECT x.entity_id, x.merged_into FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.entity_id = m.entity_id OFFSET 0) e
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT %(subjects)s),
told AS MATERIALIZED (
    SELECT v.fact_id, jsonb_agg(h.segment_key) AS grounds
    FROM hits h
    CROSS JOIN LATERAL (
        SELECT x.fact_id FROM evidence_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.segment_key = h.segment_key OFFSET 0) v
    GROUP BY 1),
ahead (fact_id, step) AS (
    SELECT t.fact_id, 0 FROM told t
    UNION
    SELECT k.from_id, a.step + 1
    FROM ahead a
    CROSS JOIN LATERAL (
        SELECT x.from_id FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.to_id = a.fact_id AND x.kind = ANY (%(follows)s) OFFSET 0) k
    WHERE a.step < %(steps)s),
beside AS MATERIALIZED (
    SELECT t.fact_id, k.kind, k.from_id, k.to_id
    FROM told t
    CROSS JOIN LATERAL (
        SELECT x.kind, x.from_id, x.to_id FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.to_id = t.fact_id AND x.kind = 'disputes'
        UNION ALL
        SELECT x.kind, x.from_id, x.to_id FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.from_id = t.fact_id AND x.kind IN ('supersedes', 'disputes')) k),
near AS (
    SELECT a.fact_id FROM ahead a
    UNION
    SELECT CASE WHEN b.from_id = b.fact_id THEN b.to_id ELSE b.from_id END FROM beside b
    UNION
    SELECT f.fact_id
    FROM subjects b
    CROSS JOIN LATERAL (
        SELECT z.fact_id
        FROM facts_then(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), NULL, ARRAY['active'],
                        NULL, NULL, ARRAY[b.entity_id], NULL) z
        ORDER BY z.importance DESC, z.valid_from DESC, z.fact_id LIMIT %(facts)s) f),
facts AS MATERIALIZED (
    SELECT f.*, t.grounds
    FROM near n
    LEFT JOIN told t ON t.fact_id = n.fact_id
    CROSS JOIN LATERAL (
        SELECT z.*
        FROM facts_then(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), NULL,
                        ARRAY['active', 'superseded'], NULL, NULL, NULL, NULL) z
        WHERE z.fact_id = n.fact_id OFFSET 0) f),
over AS MATERIALIZED (
    SELECT f.fact_id, z.fact_id AS by_id, k.kind, z.sensitivity <> f.sensitivity AS across
    FROM facts f
    CROSS JOIN LATERAL (
        SELECT x.from_id, x.kind FROM links_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.to_id = f.fact_id AND x.kind IN ('supersedes', 'interrupts') OFFSET 0) k
    CROSS JOIN LATERAL (
        SELECT y.fact_id, y.sensitivity
        FROM facts_then(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), NULL,
                        ARRAY['active', 'superseded'], NULL, NULL, NULL, NULL) y
        WHERE y.fact_id = k.from_id OFFSET 0) z),
shown AS (
    SELECT f.fact_id, f.status, f.predicate, f.importance, coalesce(f.grounds, '[]') AS grounds, e.type AS subject_type,
           n.words AS subject, t.words AS statement, extract(epoch FROM f.valid_from)::float8 AS valid_from,
           extract(epoch FROM f.valid_to)::float8 AS valid_to,
           (SELECT coalesce(jsonb_agg(o.by_id ORDER BY o.by_id), '[]') FROM over o
            WHERE o.fact_id = f.fact_id AND o.kind = 'supersedes' AND o.by_id IN (SELECT z.fact_id FROM facts z))
               AS superseded_by,
           (SELECT coalesce(jsonb_agg(DISTINCT z.fact_id ORDER BY z.fact_id), '[]') FROM beside b
            JOIN facts z ON z.fact_id IN (b.from_id, b.to_id) AND z.fact_id <> f.fact_id
            WHERE b.kind = 'disputes' AND f.fact_id IN (b.from_id, b.to_id)) AS disputes,
           CASE WHEN EXISTS (SELECT FROM over o WHERE o.fact_id = f.fact_id AND o.across)
           THEN against_known(%(user_id)s, %(scopes)s, %(clearance)s, to_timestamp(%(known)s::float8), f.fact_id, f.version)
           END AS against
    FROM facts f
    CROSS JOIN LATERAL (
        SELECT x.type, x.name FROM entities_known(%(user_id)s, to_timestamp(%(known)s::float8)) x
        WHERE x.entity_id = f.subject_id OFFSET 0) e
    JOIN content n ON n.scope = 'user:' || f.user_id AND n.content_id = e.name
    JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement)
SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.grounds = '[]', f.importance DESC, f.valid_from DESC, f.fact_id), '[]') AS facts
FROM shown f;
