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

-- name: generated
-- Of facts that these groups name, those that a model has put into words and that still rest on several of their sources.
SELECT a.place, f.fact_id
FROM unnest(%(places)s::int[], %(facts)s::text[]) AS a (place, fact_id)
JOIN fact_versions f ON f.user_id = %(user_id)s AND f.fact_id = a.fact_id AND f.system_to IS NULL
     AND f.status = 'active' AND f.kind = 'meta' AND f.sensitivity <= (%(levels)s::smallint[])[a.place + 1]
JOIN links k ON k.user_id = f.user_id AND k.kind = 'derived_from' AND k.from_id = f.fact_id
JOIN evidence v ON v.user_id = k.user_id AND v.fact_id = k.to_id
JOIN unnest(%(member_places)s::int[], %(members)s::text[]) AS m (place, source)
     ON m.place = a.place AND m.source = v.source_id
GROUP BY a.place, f.fact_id
HAVING count(DISTINCT v.source_id) >= %(least)s;

-- name: grounds
-- The facts of one level that were read from these segments, the most important first.
SELECT DISTINCT v.segment_key, f.fact_id, f.subject_id, f.importance, c.words AS statement
FROM evidence v
JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
     AND f.status = 'active' AND f.kind <> 'meta' AND f.sensitivity = %(level)s
JOIN content c ON c.scope = 'user:' || f.user_id AND c.content_id = f.statement
WHERE v.user_id = %(user_id)s AND v.segment_key = ANY (%(keys)s)
ORDER BY v.segment_key, f.importance DESC, f.fact_id;
