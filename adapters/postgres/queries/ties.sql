-- The ties of a memory as columns (memory/rules/ties.py): who is named where, and of whom facts are. Read in one
-- consistent moment, with ids that stand once and are named by their places in order.

-- name: entities
SELECT e.entity_id AS id, e.type = ANY(%(lasting)s) AS lasting
FROM entities e
WHERE e.user_id = %(user_id)s AND e.merged_into IS NULL AND NOT e.is_owner AND e.type = ANY(%(tied)s)
ORDER BY e.entity_id COLLATE "C";

-- name: named
SELECT m.entity_id AS entity, m.segment_key AS segment, m.source_id AS source, m.at, m.sensitivity AS level
FROM mentions m
JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND e.merged_into IS NULL AND NOT e.is_owner
     AND e.type = ANY(%(tied)s)
WHERE m.user_id = %(user_id)s;

-- name: asserted
-- Evidence of active facts of which one end at least may be tied; of the others nothing is asked.
SELECT f.subject_id AS subject, f.object_id AS object, f.fact_id AS fact, v.source_id AS source, v.at, f.confidence,
       f.sensitivity AS level
FROM fact_versions f
JOIN evidence v ON v.user_id = f.user_id AND v.fact_id = f.fact_id
WHERE f.user_id = %(user_id)s AND f.system_to IS NULL AND f.status = 'active'
  AND EXISTS (
      SELECT 1 FROM entities e
      WHERE e.user_id = f.user_id AND e.entity_id IN (f.subject_id, f.object_id) AND e.merged_into IS NULL
        AND NOT e.is_owner AND e.type = ANY(%(tied)s));
