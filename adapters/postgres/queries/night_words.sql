-- What steps of a night that need words read of a memory.

-- name: looked_at
-- Living entities that were recalled at that instant or later, the latest first, `most` of them.
SELECT e.entity_id
FROM accesses a JOIN entities e ON e.user_id = a.user_id AND e.entity_id = a.id
WHERE a.user_id = %(user_id)s AND a.last_at >= to_timestamp(%(since)s) AND e.merged_into IS NULL
ORDER BY a.last_at DESC, e.entity_id
LIMIT %(most)s;

-- name: entities
SELECT * FROM entities WHERE user_id = %(user_id)s AND entity_id = ANY (%(ids)s) ORDER BY entity_id;

-- name: facts
-- Facts about each of these entities that hold at an instant and are no more sensitive than it, the most important; with
-- their vectors, where they have one.
WITH about AS (
    SELECT f.fact_id, row_number() OVER (PARTITION BY e.entity_id
                                         ORDER BY f.importance DESC, f.valid_from DESC, f.fact_id) AS place
    FROM entities e
    JOIN LATERAL (
        SELECT s.* FROM fact_versions s
        WHERE s.user_id = e.user_id AND s.subject_id = e.entity_id AND s.system_to IS NULL
        UNION
        SELECT o.* FROM fact_versions o
        WHERE o.user_id = e.user_id AND o.object_id = e.entity_id AND o.system_to IS NULL) f ON true
    WHERE e.user_id = %(user_id)s AND e.entity_id = ANY (%(ids)s)
      AND f.status = 'active' AND f.kind <> 'meta' AND f.state <> 'archived' AND f.sensitivity <= e.sensitivity
      AND f.valid_from <= to_timestamp(%(now)s) AND (f.valid_to IS NULL OR f.valid_to > to_timestamp(%(now)s)))
SELECT f.*, vector_send(v.vector) AS vector
FROM fact_versions f
LEFT JOIN fact_vectors v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.encoder = %(encoder)s
WHERE f.user_id = %(user_id)s AND f.system_to IS NULL
  AND f.fact_id IN (SELECT a.fact_id FROM about a WHERE a.place <= %(most)s)
ORDER BY f.fact_id;

-- name: links
SELECT * FROM links WHERE user_id = %(user_id)s AND kind = %(kind)s AND from_id = ANY (%(ids)s) ORDER BY from_id, to_id;

-- name: notes
SELECT * FROM notes WHERE user_id = %(user_id)s AND about_id = ANY (%(ids)s) ORDER BY note_id;

-- name: words
SELECT content_id, words FROM content WHERE scope = %(scope)s AND content_id = ANY (%(content)s);
