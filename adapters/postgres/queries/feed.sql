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
SELECT v.segment_key, v.vector::real[] AS vector FROM segment_vectors v
JOIN segments s USING (scope, segment_key)
WHERE v.scope = %(scope)s AND v.encoder = %(encoder)s AND v.revision = s.revision
  AND (v.position > %(since)s OR v.segment_key = ANY(%(keys)s));

-- name: some_segments
-- The rows of a few segments in sight, wherever they are, for weighing them without columns in memory.
SELECT s.scope, s.segment_key, s.source_id, s.start_s, s.at, s.committed_at, s.role, s.speaker, s.language,
       c.words AS text, false AS hidden, src.started_at, src.offset_s, src.sensitivity, v.vector::real[] AS vector
FROM segments s
JOIN sources src USING (scope, source_id)
JOIN content c USING (scope, content_id)
LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
     AND v.revision = s.revision
WHERE s.scope = ANY(%(scopes)s) AND s.segment_key = ANY(%(keys)s) AND src.sensitivity <= %(clearance)s
  AND s.replaced_by IS NULL
ORDER BY s.source_id, s.start_s, s.ord;
