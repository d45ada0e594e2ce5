-- What causal links are read off, and which of them are in sight.

-- name: told
-- What persons said that may tell a reason (%(cues)s), of facts that were first believed then or later, the latest first;
-- with the last words of the same speaker, if they are among the two segments before it and not an hour old.
SELECT s.segment_key, c.words AS text, b.segment_key AS before_key, coalesce(b.words, '') AS before
FROM (SELECT DISTINCT v.segment_key
      FROM fact_versions f
      JOIN evidence v ON v.user_id = f.user_id AND v.fact_id = f.fact_id
      WHERE f.user_id = %(user_id)s AND f.version = 1 AND f.system_from >= to_timestamp(%(since)s)) k
JOIN segments s ON s.segment_key = k.segment_key AND s.replaced_by IS NULL AND s.role NOT IN ('assistant', 'tool')
     AND s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id AND c.words ~* %(cues)s
LEFT JOIN LATERAL (
    SELECT n.segment_key, d.words
    FROM (SELECT p.* FROM segments p
          WHERE p.scope = s.scope AND p.source_id = s.source_id AND p.replaced_by IS NULL
            AND p.at BETWEEN s.at - interval '1 hour' AND s.at AND (p.at, p.ord) < (s.at, s.ord)
          ORDER BY p.at DESC, p.ord DESC LIMIT 2) n
    JOIN content d ON d.scope = n.scope AND d.content_id = n.content_id
    WHERE n.speaker = s.speaker ORDER BY n.at DESC, n.ord DESC LIMIT 1) b ON true
ORDER BY s.at DESC, s.segment_key LIMIT %(most)s;

-- name: stated
-- The facts that are believed and rest on these segments, with their statements and whom they are about.
SELECT v.segment_key, f.fact_id, t.words AS statement, coalesce(n.words, '') AS subject
FROM evidence v
JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL AND f.status = 'active'
JOIN content t ON t.scope = 'user:' || f.user_id AND t.content_id = f.statement
LEFT JOIN entities e ON e.user_id = f.user_id AND e.entity_id = f.subject_id
LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE v.user_id = %(user_id)s AND v.segment_key = ANY (%(keys)s)
ORDER BY v.segment_key, f.fact_id;

-- name: related
-- The facts of sources from which one was first believed then or later, each with the words of a person that it was read
-- from: of each source `shown` at most, in order, of those with two or more, `asked` at most, those told last first.
WITH fresh AS (
    SELECT v.source_id
    FROM fact_versions f JOIN evidence v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.segment_key <> 0
    WHERE f.user_id = %(user_id)s AND f.version = 1 AND f.system_from >= to_timestamp(%(since)s)
    GROUP BY v.source_id),
told AS (
    SELECT DISTINCT ON (v.source_id, f.fact_id) v.source_id, f.fact_id, f.statement, f.subject_id, v.quote, s.speaker,
           s.at, s.ord, s.segment_key
    FROM fresh r
    JOIN segments s ON s.source_id = r.source_id AND s.replaced_by IS NULL AND s.role NOT IN ('assistant', 'tool')
         AND s.scope IN (SELECT d.scope FROM readers d WHERE d.user_id = %(user_id)s)
    JOIN evidence v ON v.user_id = %(user_id)s AND v.segment_key = s.segment_key
    JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
         AND f.status = 'active'
    ORDER BY v.source_id, f.fact_id, s.at, s.ord),
ranked AS (
    SELECT t.*, count(*) OVER (PARTITION BY t.source_id) AS count, max(t.at) OVER (PARTITION BY t.source_id) AS last_at,
           row_number() OVER (PARTITION BY t.source_id ORDER BY t.at, t.ord, t.segment_key, t.fact_id) AS rank
    FROM told t),
placed AS (
    SELECT k.*, dense_rank() OVER (ORDER BY k.last_at DESC, k.source_id) AS place
    FROM ranked k WHERE k.count > 1 AND k.rank <= %(shown)s)
SELECT p.place, p.fact_id, c.words AS statement, coalesce(n.words, '') AS subject, p.speaker, coalesce(q.words, '') AS quote
FROM placed p
JOIN content c ON c.scope = 'user:' || %(user_id)s::text AND c.content_id = p.statement
LEFT JOIN content q ON q.scope = 'user:' || %(user_id)s::text AND q.content_id = p.quote
LEFT JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = p.subject_id
LEFT JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE p.place <= %(asked)s ORDER BY p.place, p.rank;

-- name: causes
-- The facts in sight that were told as the reason of this one, and who says so.
SELECT f.fact_id, k.judged_by
FROM links k
JOIN seen_facts(%(user_id)s, %(scopes)s, %(clearance)s) f ON f.fact_id = k.from_id AND f.system_to IS NULL
     AND f.status IN ('active', 'superseded')
WHERE k.user_id = %(user_id)s AND k.kind = 'causes' AND k.to_id = %(fact_id)s
ORDER BY f.valid_from, f.fact_id;
