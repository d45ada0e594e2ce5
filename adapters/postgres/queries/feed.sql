-- The feed: what the columns of a shard are brought up to date with, and the same rows for a few candidates.

-- name: positions
SELECT scope, position, vector_position FROM scopes WHERE scope = ANY(%(scopes)s);

-- name: removed_segments
SELECT string_agg(int8send(segment_key), '') AS keys FROM removals WHERE scope = %(scope)s AND position > %(since)s;

-- name: changed_segments
SELECT string_agg(int8send(segment_key), '') AS keys FROM segments WHERE scope = %(scope)s AND position > %(since)s;

-- name: changed_vectors
-- Those of what has been said since in other words are left out; who fetches them asks no more.
SELECT string_agg(int8send(v.segment_key), '') AS keys FROM segment_vectors v
JOIN segments s USING (scope, segment_key)
WHERE v.scope = %(scope)s AND v.encoder = %(encoder)s AND v.revision = s.revision
  AND (v.position > %(since)s OR v.segment_key = ANY(%(keys)s::bigint[]));

-- name: columns
-- Segments as columns: numbers one after the other as they travel, texts as arrays.
string_agg(int8send(s.segment_key), '') AS keys,
string_agg(float8send(s.start_s), '') AS starts,
string_agg(timestamptz_send(s.at), '') AS at,
string_agg(timestamptz_send(s.committed_at), '') AS committed_at,
string_agg(boolsend(s.replaced_by IS NULL), '') AS alive,
string_agg(timestamptz_send(src.started_at), '') AS started_at,
string_agg(int4send(src.offset_s), '') AS offsets,
array_agg(s.source_id) AS sources,
array_agg(s.role) AS roles,
array_agg(coalesce(h.shown, s.speaker)) AS speakers,
array_agg(coalesce(s.language, '')) AS languages,
array_agg(c.words) AS texts

-- name: understood
-- Their vectors and word pieces, likewise.
string_agg(int8send(v.segment_key), '') AS understood,
string_agg(vector_send(v.vector), '') AS vectors,
string_agg(int4send(coalesce(length(v.pieces), 0)), '') FILTER (WHERE v.segment_key IS NOT NULL) AS lengths,
string_agg(v.pieces, '') AS pieces

-- name: segments
FROM segments s
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
LEFT JOIN voices h ON h.scope = s.scope AND h.label = s.speaker
WHERE s.scope = %(scope)s AND s.segment_key = ANY(%(keys)s::bigint[])
GROUP BY s.scope, src.sensitivity;

-- name: vectors
FROM segment_vectors v
WHERE v.scope = %(scope)s AND v.encoder = %(encoder)s AND v.segment_key = ANY(%(keys)s::bigint[]);

-- name: some_words
SELECT s.segment_key, c.words FROM segments s
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
WHERE s.scope = ANY(%(scopes)s) AND s.segment_key = ANY(%(keys)s::bigint[]) AND src.sensitivity <= %(clearance)s
  AND s.replaced_by IS NULL;

-- name: wanted
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

-- name: some_segments
FROM wanted
JOIN segments s USING (segment_key)
JOIN sources src USING (scope, source_id)
LEFT JOIN content c USING (scope, content_id)
LEFT JOIN voices h ON h.scope = s.scope AND h.label = s.speaker
LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
     AND v.revision = s.revision
WHERE s.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s AND s.replaced_by IS NULL
GROUP BY s.scope, src.sensitivity;
