-- What storylines are made of (memory/rules/appearances.py): who is told of in which sources, and what was said there.

-- name: anchors
-- Whom a storyline may be about: told of in as many sources at least.
SELECT e.entity_id, e.state, e.confidence
FROM entities e
WHERE e.user_id = %(user_id)s AND e.merged_into IS NULL AND NOT e.is_owner AND e.type = ANY(%(tied)s)
  AND (SELECT count(DISTINCT m.source_id) FROM mentions m
       WHERE m.user_id = e.user_id AND m.entity_id = e.entity_id) >= %(least)s;

-- name: rows
-- In which sources each of them is told of, when these began, and the lowest sensitivity at which.
SELECT m.entity_id, m.source_id, min(coalesce(src.started_at, m.at)) AS at, min(m.sensitivity) AS level
FROM mentions m
LEFT JOIN segments s ON s.segment_key = m.segment_key
     AND s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
LEFT JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
WHERE m.user_id = %(user_id)s AND m.entity_id = ANY(%(anchors)s)
GROUP BY m.entity_id, m.source_id;

-- name: vectors
-- The vectors of what was said in some sources, summed up for each.
SELECT s.source_id, vector_send(sum(v.vector)) AS vector
FROM segments s
JOIN segment_vectors v ON v.scope = s.scope AND v.segment_key = s.segment_key AND v.encoder = %(encoder)s
WHERE s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
  AND s.source_id = ANY(%(sources)s) AND s.replaced_by IS NULL
GROUP BY s.source_id;

-- name: told
-- What people said of an anchor in some sources: nothing that an assistant or a tool said, or that is hidden. `gone` are
-- sentences from which a fact was read that somebody wanted forgotten.
SELECT a.place, m.segment_key, s.revision, m.source_id, m.at, s.speaker, coalesce(c.words, '') AS text,
       coalesce(q.words, '') AS quote,
       (SELECT d.words
        FROM (SELECT n.speaker, n.content_id FROM segments n
              WHERE n.scope = s.scope AND n.source_id = s.source_id AND n.replaced_by IS NULL
                AND n.at BETWEEN s.at AND s.at + interval '1 hour' AND (n.at, n.ord) > (s.at, s.ord)
              ORDER BY n.at, n.ord LIMIT 2) n
        JOIN content d ON d.scope = s.scope AND d.content_id = n.content_id
        WHERE n.speaker = s.speaker LIMIT 1) AS next_words,
       (SELECT coalesce(array_agg(g.words ORDER BY g.words), '{}')
        FROM evidence v
        JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
        JOIN content g ON g.scope = 'user:' || v.user_id AND g.content_id = v.quote
        WHERE v.user_id = m.user_id AND v.segment_key = m.segment_key AND f.status = 'forgotten') AS gone
FROM unnest(%(places)s::int[], %(anchors)s::text[], %(sources)s::text[], %(levels)s::smallint[])
     AS a (place, anchor, source, level)
JOIN mentions m ON m.user_id = %(user_id)s AND m.entity_id = a.anchor AND m.source_id = a.source
     AND m.sensitivity <= a.level
JOIN segments s ON s.segment_key = m.segment_key AND s.replaced_by IS NULL AND s.role NOT IN ('assistant', 'tool')
     AND s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id AND src.sensitivity <= a.level
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
LEFT JOIN content q ON q.scope = 'user:' || m.user_id AND q.content_id = m.quote
ORDER BY a.place, m.at, m.segment_key;

-- name: names
SELECT e.entity_id, n.words AS name
FROM entities e
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE e.user_id = %(user_id)s AND e.entity_id = ANY(%(ids)s);

-- name: standing
SELECT g.*, c.words FROM groups g
LEFT JOIN content c ON c.scope = 'user:' || g.user_id AND c.content_id = g.summary
WHERE g.user_id = %(user_id)s AND g.kind IN ('storyline', 'macro') ORDER BY g.group_id;
