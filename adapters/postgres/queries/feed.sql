-- The feed: what the columns of a shard are brought up to date with, and the same rows for a few candidates.

-- name: positions
SELECT scope, position, vector_position FROM scopes WHERE scope = ANY(%(scopes)s);

-- name: changed_segments
SELECT s.segment_key, s.source_id, s.start_s, s.at, s.committed_at, s.role, s.speaker, s.language, c.words AS text,
       s.replaced_by IS NOT NULL AS hidden, s.position, src.started_at, src.offset_s, src.sensitivity
FROM segments s
JOIN sources src USING (scope, source_id)
JOIN content c USING (scope, content_id)
WHERE s.scope = %(scope)s AND s.position > %(since)s
ORDER BY s.source_id, s.start_s, s.ord;

-- name: removed_segments
SELECT segment_key FROM removals WHERE scope = %(scope)s AND position > %(since)s;

-- name: changed_vectors
SELECT v.segment_key, vector_send(v.vector) AS vector, v.pieces FROM segment_vectors v
JOIN segments s USING (scope, segment_key)
WHERE v.scope = %(scope)s AND v.encoder = %(encoder)s AND v.revision = s.revision
  AND (v.position > %(since)s OR v.segment_key = ANY(%(keys)s));

-- name: some_words
SELECT s.segment_key, c.words FROM segments s
JOIN sources src USING (scope, source_id)
JOIN content c USING (scope, content_id)
WHERE s.scope = ANY(%(scopes)s) AND s.segment_key = ANY(%(keys)s::bigint[]) AND src.sensitivity <= %(clearance)s
  AND s.replaced_by IS NULL;

-- name: some_segments
-- A few segments in sight, wherever they are, for weighing them without columns in memory; with the two turns before and
-- after those that are read closely.
WITH turns AS (
    SELECT s.segment_key, bool_or(s.segment_key = ANY(%(closely)s::bigint[])) OVER (
        PARTITION BY s.scope, s.source_id ORDER BY s.start_s, s.ord ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS near
    FROM segments s
    WHERE s.replaced_by IS NULL AND (s.scope, s.source_id) IN (
        SELECT g.scope, g.source_id FROM segments g
        WHERE g.scope = ANY(%(scopes)s) AND g.segment_key = ANY(%(closely)s::bigint[]))),
wanted AS (SELECT unnest(%(keys)s::bigint[]) AS segment_key UNION SELECT segment_key FROM turns WHERE near)
SELECT s.scope, s.segment_key, s.source_id, s.start_s, s.at, s.committed_at, s.role, s.speaker, s.language,
       c.words AS text, false AS hidden, src.started_at, src.offset_s, src.sensitivity,
       vector_send(v.vector) AS vector, v.pieces
FROM wanted
JOIN segments s USING (segment_key)
JOIN sources src USING (scope, source_id)
JOIN content c USING (scope, content_id)
LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
     AND v.revision = s.revision
WHERE s.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s AND s.replaced_by IS NULL
ORDER BY s.source_id, s.start_s, s.ord;
