-- What questions that prove a night are made of (memory/rules/proof.py).

-- name: sample
-- One fact of each stretch of ages, as memory.rules.proof.spread chooses it.
WITH sure AS (
    SELECT f.fact_id, ntile(%(most)s) OVER (ORDER BY f.valid_from, f.fact_id COLLATE "C") AS stretch
    FROM fact_versions f
    WHERE f.user_id = %(user_id)s AND f.system_to IS NULL AND f.status = 'active' AND f.predicate IS NOT NULL
      AND EXISTS (SELECT FROM evidence v
                  WHERE v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.segment_key <> 0))
SELECT DISTINCT ON (stretch) fact_id FROM sure
ORDER BY stretch, md5(%(seed)s || '/' || fact_id) COLLATE "C";

-- name: facts
-- Each with the segments of every fact of the same subject, predicate and slot that is not forgotten.
SELECT f.fact_id, n.words AS subject, f.predicate, s.words AS slot,
       ARRAY(SELECT DISTINCT v.segment_key
             FROM fact_versions o
             LEFT JOIN content t ON t.scope = %(scope)s AND t.content_id = o.slot
             JOIN evidence v ON v.user_id = o.user_id AND v.fact_id = o.fact_id AND v.segment_key <> 0
             WHERE o.user_id = f.user_id AND o.subject_id = f.subject_id AND o.system_to IS NULL
               AND o.predicate = f.predicate AND o.status <> 'forgotten'
               AND t.words IS NOT DISTINCT FROM s.words) AS evidence
FROM fact_versions f
JOIN entities e ON e.user_id = f.user_id AND e.entity_id = f.subject_id
JOIN content n ON n.scope = %(scope)s AND n.content_id = e.name
LEFT JOIN content s ON s.scope = %(scope)s AND s.content_id = f.slot
WHERE f.user_id = %(user_id)s AND f.system_to IS NULL AND f.fact_id = ANY(%(ids)s)
  AND f.status <> 'forgotten' AND f.predicate IS NOT NULL
ORDER BY array_position(%(ids)s::text[], f.fact_id);
