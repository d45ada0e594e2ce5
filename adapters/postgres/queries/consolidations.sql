-- What consolidations are made of (memory/rules/consolidation.py), beside what storylines read.

-- name: standing
SELECT g.*, c.words FROM groups g
LEFT JOIN content c ON c.scope = 'user:' || g.user_id AND c.content_id = g.summary
WHERE g.user_id = %(user_id)s AND g.kind = 'consolidation' ORDER BY g.group_id;

-- name: insights
-- Facts that several of a group's sources support, those of most sources first.
SELECT r.place, r.fact_id
FROM (SELECT a.place, f.fact_id,
             row_number() OVER (PARTITION BY a.place ORDER BY count(DISTINCT v.source_id) DESC, f.importance DESC,
                                f.fact_id COLLATE "C") AS rank
      FROM unnest(%(places)s::int[], %(sources)s::text[], %(levels)s::smallint[]) AS a (place, source, level)
      JOIN evidence v ON v.user_id = %(user_id)s AND v.source_id = a.source
      JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
           AND f.status = 'active' AND f.kind <> 'meta' AND f.sensitivity <= a.level
      GROUP BY a.place, f.fact_id, f.importance
      HAVING count(DISTINCT v.source_id) >= %(least)s) r
WHERE r.rank <= %(most)s ORDER BY r.place, r.rank;
