-- PostgreSQL's own search: text, vectors and graph as indexes that answer when the shard does not.

-- name: text
-- Any of the words, stemmed by each language the user speaks or not at all; the more and the closer, the better.
WITH query AS (
    SELECT string_agg(nullif(replace(plainto_tsquery(config::regconfig, %(text)s)::text, '&', '|'), ''), ' | ')::tsquery AS q
    FROM unnest(%(configs)s::text[]) AS config)
SELECT s.segment_key, ts_rank_cd(c.search, query.q)::float4 AS score
FROM query, content c
JOIN segments s ON s.scope = c.scope AND s.content_id = c.content_id
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE c.scope = ANY(%(scopes)s) AND c.search @@ query.q AND s.replaced_by IS NULL
  AND src.sensitivity <= %(clearance)s
  AND (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
  AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
  AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
  AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
ORDER BY score DESC, s.segment_key LIMIT %(limit)s;

-- name: vectors
-- Exact cosine over what is in sight.
SELECT s.segment_key, (1 - (v.vector <=> %(vector)s::vector))::float4 AS score
FROM segment_vectors v
JOIN segments s ON s.scope = v.scope AND s.segment_key = v.segment_key AND s.revision = v.revision
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE v.scope = ANY(%(scopes)s) AND v.encoder = %(encoder)s AND s.replaced_by IS NULL
  AND src.sensitivity <= %(clearance)s
  AND (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
  AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
  AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
  AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
ORDER BY v.vector <=> %(vector)s::vector, s.segment_key LIMIT %(limit)s;

-- name: graph
-- Entities named in the question, and who is one or two facts away from them; each step counts half. Only entities,
-- facts and words in sight tie anything; a name learnt later counts only if nothing of its entity is out of sight.
WITH RECURSIVE told AS (
    SELECT f.* FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
    WHERE f.system_to IS NULL AND f.status IN ('active', 'superseded')
      AND (%(as_of)s::float8 IS NULL OR f.valid_from <= to_timestamp(%(as_of)s))
      AND (%(known)s::float8 IS NULL OR EXISTS (
          SELECT 1 FROM fact_versions v
          WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.system_from <= to_timestamp(%(known)s)))),
met AS (
    SELECT m.entity_id, count(*) AS mentions FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
    GROUP BY m.entity_id),
named AS (
    SELECT coalesce(e.merged_into, e.entity_id) AS entity_id
    FROM entities e
    LEFT JOIN content n ON n.scope = %(own)s AND n.content_id = e.name
    LEFT JOIN content a ON a.scope = %(own)s AND a.content_id = e.aliases
    LEFT JOIN met ON met.entity_id = coalesce(e.merged_into, e.entity_id)
    WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s
      AND (met.entity_id IS NOT NULL
           OR EXISTS (SELECT 1 FROM told f WHERE f.subject_id = coalesce(e.merged_into, e.entity_id)))
      AND EXISTS (
          SELECT 1 FROM (
              SELECT n.words AS name
              UNION ALL
              SELECT jsonb_array_elements_text(coalesce(a.words, '[]')::jsonb)
              WHERE coalesce(met.mentions, 0) = (SELECT count(*) FROM mentions m
                                                 WHERE m.user_id = e.user_id AND m.entity_id = e.entity_id
                                                   AND m.sensitivity <= %(clearance)s)) w
          WHERE position(' ' || lower(w.name) || ' ' IN %(padded)s) > 0)),
reached (entity_id, weight, depth) AS (
    SELECT DISTINCT entity_id, 1.0::float8, 0 FROM named
    UNION ALL
    SELECT CASE WHEN f.subject_id = r.entity_id THEN f.object_id ELSE f.subject_id END, r.weight / 2, r.depth + 1
    FROM reached r
    JOIN told f ON f.object_id IS NOT NULL AND r.entity_id IN (f.subject_id, f.object_id)
    WHERE r.depth < 2),
best AS (SELECT entity_id, max(weight) AS weight FROM reached GROUP BY entity_id),
found AS (
    SELECT m.segment_key, b.weight FROM best b
    JOIN mentions m ON m.user_id = %(user_id)s AND m.entity_id = b.entity_id
    UNION ALL
    SELECT v.segment_key, b.weight / 2 FROM best b
    JOIN told f ON f.subject_id = b.entity_id
    JOIN evidence v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.segment_key <> 0)
SELECT s.segment_key, sum(g.weight)::float4 AS score
FROM found g
JOIN segments s ON s.scope = ANY(%(scopes)s) AND s.segment_key = g.segment_key AND s.replaced_by IS NULL
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id AND src.sensitivity <= %(clearance)s
WHERE (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
  AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
  AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
  AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
GROUP BY s.segment_key ORDER BY score DESC, s.segment_key LIMIT %(limit)s;
