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
-- Who was reached counts by the shortest way: a step takes each entity once, `reached` at most, and of each as much as
-- `of_each`. From whoever has 100,000 facts there are ways without end, and they tell little.
WITH RECURSIVE told AS NOT MATERIALIZED (
    SELECT f.* FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
    WHERE f.system_to IS NULL AND f.status IN ('active', 'superseded')
      AND (%(as_of)s::float8 IS NULL OR f.valid_from <= to_timestamp(%(as_of)s))
      AND (%(known)s::float8 IS NULL OR EXISTS (
          SELECT 1 FROM fact_versions v
          WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.system_from <= to_timestamp(%(known)s)))),
called AS MATERIALIZED (
    SELECT e.entity_id, coalesce(e.merged_into, e.entity_id) AS meant,
           position(' ' || lower(n.words) || ' ' IN %(padded)s) > 0 AS by_name
    FROM entities e
    LEFT JOIN content n ON n.scope = %(own)s AND n.content_id = e.name
    WHERE e.user_id = %(user_id)s AND e.sensitivity <= %(clearance)s
      AND (position(' ' || lower(n.words) || ' ' IN %(padded)s) > 0
           OR e.aliases IS NOT NULL AND EXISTS (
               SELECT 1 FROM content a, jsonb_array_elements_text(a.words::jsonb) AS w (name)
               WHERE a.scope = %(own)s AND a.content_id = e.aliases
                 AND position(' ' || lower(w.name) || ' ' IN %(padded)s) > 0))),
met AS MATERIALIZED (
    SELECT c.*, (SELECT count(*) FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
                 WHERE m.entity_id = c.meant) AS mentions
    FROM called c),
named AS MATERIALIZED (
    SELECT DISTINCT c.meant AS entity_id FROM met c
    WHERE (c.mentions > 0 OR EXISTS (SELECT 1 FROM told f WHERE f.subject_id = c.meant))
      AND (c.by_name OR c.mentions = (SELECT count(*) FROM mentions m
                                      WHERE m.user_id = %(user_id)s AND m.entity_id = c.entity_id
                                        AND m.sensitivity <= %(clearance)s))),
walked (steps, here, passed) AS (
    SELECT 0, n.ids, n.ids FROM (SELECT array_agg(entity_id) AS ids FROM named) n
    UNION ALL
    SELECT w.steps + 1, further.ids, w.passed || further.ids
    FROM walked w CROSS JOIN LATERAL (SELECT array_agg(fresh.entity_id) AS ids FROM (
        SELECT b.entity_id FROM unnest(w.here) r (entity_id) CROSS JOIN LATERAL (
            (SELECT f.object_id FROM told f WHERE f.subject_id = r.entity_id AND f.object_id IS NOT NULL
             LIMIT %(of_each)s)
            UNION ALL
            (SELECT f.subject_id FROM told f WHERE f.object_id = r.entity_id LIMIT %(of_each)s)
        ) b (entity_id)
        EXCEPT SELECT unnest(w.passed)
        ORDER BY entity_id LIMIT %(reached)s) fresh) further
    WHERE w.steps < 2),
best AS (SELECT unnest(here) AS entity_id, 0.5::float8 ^ steps AS weight FROM walked),
found AS (
    SELECT m.segment_key, b.weight FROM best b CROSS JOIN LATERAL (
        SELECT s.segment_key FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) s
        WHERE s.entity_id = b.entity_id LIMIT %(of_each)s) m
    UNION ALL
    SELECT v.segment_key, b.weight / 2 FROM best b CROSS JOIN LATERAL (
        SELECT t.fact_id FROM told t WHERE t.subject_id = b.entity_id LIMIT %(of_each)s) f
    JOIN evidence v ON v.user_id = %(user_id)s AND v.fact_id = f.fact_id AND v.segment_key <> 0)
SELECT s.segment_key, sum(g.weight)::float4 AS score
FROM found g
JOIN segments s ON s.scope = ANY(%(scopes)s) AND s.segment_key = g.segment_key AND s.replaced_by IS NULL
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id AND src.sensitivity <= %(clearance)s
WHERE (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
  AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
  AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
  AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
GROUP BY s.segment_key ORDER BY score DESC, s.segment_key LIMIT %(limit)s;

-- name: calendar
-- What was said in the stretches of time a question names, and what facts that began in them rest on. Where a time alone
-- is asked for, the best of each source comes first: what became a fact, then what says most, and what asks last. Where
-- more is asked, what holds the most of it. Of a stretch with more facts or segments than `latest` the latest are read:
-- whatever was said before today is a whole life.
WITH asked AS MATERIALIZED (SELECT * FROM unnest(%(starts)s::float8[], %(ends)s::float8[]) AS a (first, after)),
query AS (
    SELECT string_agg(nullif(replace(plainto_tsquery(config::regconfig, %(text)s)::text, '&', '|'), ''), ' | ')::tsquery AS q
    FROM unnest(%(configs)s::text[]) AS config),
told AS MATERIALIZED (
    SELECT v.segment_key FROM asked a CROSS JOIN LATERAL (
        SELECT f.fact_id FROM seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f
        WHERE f.valid_from >= to_timestamp(a.first) AND f.valid_from < to_timestamp(a.after)
          AND f.system_to IS NULL AND f.status IN ('active', 'superseded')
          AND (%(as_of)s::float8 IS NULL OR f.valid_from <= to_timestamp(%(as_of)s))
          AND (%(known)s::float8 IS NULL OR EXISTS (
              SELECT 1 FROM fact_versions o
              WHERE o.user_id = f.user_id AND o.fact_id = f.fact_id AND o.system_from <= to_timestamp(%(known)s)))
        ORDER BY f.valid_from DESC, f.fact_id DESC LIMIT %(latest)s) f
    JOIN evidence v ON v.user_id = %(user_id)s AND v.fact_id = f.fact_id AND v.segment_key <> 0),
said AS MATERIALIZED (
    SELECT b.segment_key FROM asked a CROSS JOIN LATERAL (
        SELECT s.segment_key FROM segments s
        JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
        WHERE s.scope = ANY(%(scopes)s) AND s.replaced_by IS NULL AND src.sensitivity <= %(clearance)s
          AND s.at >= to_timestamp(a.first) AND s.at < to_timestamp(a.after)
          AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
          AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
          AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s))
        ORDER BY s.at DESC, s.segment_key LIMIT %(latest)s) b),
inside AS (
    SELECT s.segment_key, s.scope, s.source_id, s.segment_key IN (SELECT t.segment_key FROM told t) AS believed, c.words,
           coalesce(ts_rank_cd(c.search, (SELECT q FROM query)), 0) AS near
    FROM (SELECT segment_key FROM told UNION SELECT segment_key FROM said) l
    JOIN segments s ON s.segment_key = l.segment_key AND s.scope = ANY(%(scopes)s)
    JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
    LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
    WHERE s.scope = ANY(%(scopes)s) AND s.replaced_by IS NULL AND src.sensitivity <= %(clearance)s
      AND (%(start)s::float8 IS NULL OR s.at >= to_timestamp(%(start)s))
      AND (%(end)s::float8 IS NULL OR s.at < to_timestamp(%(end)s))
      AND (%(known)s::float8 IS NULL OR s.committed_at <= to_timestamp(%(known)s))
      AND (%(only)s::bigint[] IS NULL OR s.segment_key = ANY(%(only)s)))
SELECT segment_key, (%(share)s * (1 + CASE WHEN %(alone)s THEN 1.0 / row_number() OVER (
           PARTITION BY scope, source_id ORDER BY words LIKE '%%?', NOT believed, length(words) DESC, segment_key)
       ELSE near / greatest(max(near) OVER (), 1e-9) END))::float4 AS score
FROM inside ORDER BY score DESC, segment_key LIMIT %(limit)s;
