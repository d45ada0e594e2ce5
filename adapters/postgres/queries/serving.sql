-- The serving encoder, and how far its successor has come.

-- name: begin
INSERT INTO serving (encoder, dimensions, settings) VALUES (%(encoder)s, %(dimensions)s, %(settings)s) ON CONFLICT DO NOTHING;

-- name: serving
SELECT encoder, dimensions, settings FROM serving;

-- name: behind
-- Sources of which some words have no vector by an encoder.
SELECT DISTINCT s.scope, s.source_id FROM segments s
LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
WHERE s.replaced_by IS NULL AND v.revision IS DISTINCT FROM s.revision LIMIT %(limit)s;

-- name: facts_behind
-- Facts that have met their rivals by the serving encoder's vectors and have none by its successor.
SELECT o.user_id, o.fact_id, c.words AS statement
FROM fact_vectors o JOIN fact_versions f USING (user_id, fact_id)
JOIN content c ON c.scope = 'user:' || f.user_id AND c.content_id = f.statement
LEFT JOIN fact_vectors n ON n.user_id = o.user_id AND n.fact_id = o.fact_id AND n.encoder = %(encoder)s
WHERE o.encoder = %(serving)s AND f.system_to IS NULL AND f.status IN ('active', 'superseded', 'invalidated')
  AND n.fact_id IS NULL
LIMIT %(limit)s;

-- name: progress
SELECT count(*) AS segments, count(*) FILTER (WHERE v.revision = s.revision) AS encoded
FROM segments s
LEFT JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
WHERE s.replaced_by IS NULL;

-- name: swap
-- Only if nothing is lost by it: whatever can be found by the one can be found by the other.
UPDATE serving SET encoder = %(encoder)s, dimensions = %(dimensions)s, settings = %(settings)s
WHERE encoder = %(serving)s
  AND NOT EXISTS (
    SELECT 1 FROM segment_vectors o JOIN segments s USING (scope, segment_key)
    LEFT JOIN segment_vectors n ON n.scope = o.scope AND n.segment_key = o.segment_key AND n.encoder = %(encoder)s
    WHERE o.encoder = %(serving)s AND s.replaced_by IS NULL AND o.revision = s.revision
      AND n.revision IS DISTINCT FROM s.revision)
  AND NOT EXISTS (
    SELECT 1 FROM fact_vectors o JOIN fact_versions f USING (user_id, fact_id)
    LEFT JOIN fact_vectors n ON n.user_id = o.user_id AND n.fact_id = o.fact_id AND n.encoder = %(encoder)s
    WHERE o.encoder = %(serving)s AND f.system_to IS NULL AND f.status IN ('active', 'superseded', 'invalidated')
      AND n.fact_id IS NULL)
RETURNING encoder;

-- name: leftovers
SELECT EXISTS (SELECT 1 FROM segment_vectors WHERE encoder <> ALL(%(kept)s))
    OR EXISTS (SELECT 1 FROM fact_vectors WHERE encoder <> ALL(%(kept)s)) AS left_over;

-- name: drop_segment_vectors
DELETE FROM segment_vectors WHERE encoder <> ALL(%(kept)s);

-- name: drop_fact_vectors
DELETE FROM fact_vectors WHERE encoder <> ALL(%(kept)s);
