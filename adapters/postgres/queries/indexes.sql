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
SELECT s.segment_key, (1 - (v.vector <=> %(vector)s::text::vector))::float4 AS score
FROM segment_vectors v
JOIN segments s ON s.scope = v.scope AND s.segment_key = v.segment_key AND s.revision = v.revision
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE v.scope = ANY(%(scopes)s) AND v.encoder = %(encoder)s AND s.replaced_by IS NULL
  AND src.sensitivity <= %(clearance)s
  AND (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
  AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
  AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
  AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
ORDER BY v.vector <=> %(vector)s::text::vector, s.segment_key LIMIT %(limit)s;

-- name: graph
-- Entities named in the question, and who is one or two facts away from them; each step counts half.
WITH RECURSIVE named AS (
    SELECT coalesce(e.merged_into, e.entity_id) AS entity_id
    FROM entities e
    LEFT JOIN content n ON n.scope = %(own)s AND n.content_id = e.name
    LEFT JOIN content a ON a.scope = %(own)s AND a.content_id = e.aliases
    WHERE e.user_id = %(user_id)s
      AND EXISTS (
          SELECT 1 FROM (SELECT n.words AS name UNION ALL SELECT jsonb_array_elements_text(coalesce(a.words, '[]')::jsonb)) w
          WHERE position(' ' || lower(w.name) || ' ' IN %(padded)s) > 0)),
reached (entity_id, weight, depth) AS (
    SELECT DISTINCT entity_id, 1.0::float8, 0 FROM named
    UNION ALL
    SELECT CASE WHEN f.subject_id = r.entity_id THEN f.object_id ELSE f.subject_id END, r.weight / 2, r.depth + 1
    FROM reached r
    JOIN fact_versions f ON f.user_id = %(user_id)s AND f.system_to IS NULL AND f.object_id IS NOT NULL
         AND f.status IN ('active', 'superseded') AND r.entity_id IN (f.subject_id, f.object_id)
    WHERE r.depth < 2),
best AS (SELECT entity_id, max(weight) AS weight FROM reached GROUP BY entity_id),
found AS (
    SELECT m.segment_key, b.weight FROM best b
    JOIN mentions m ON m.user_id = %(user_id)s AND m.entity_id = b.entity_id
    UNION ALL
    SELECT v.segment_key, b.weight / 2 FROM best b
    JOIN fact_versions f ON f.user_id = %(user_id)s AND f.subject_id = b.entity_id AND f.system_to IS NULL
         AND f.status IN ('active', 'superseded')
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
