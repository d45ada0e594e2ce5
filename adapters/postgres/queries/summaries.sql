-- Summaries of sources: what a night reads to write them, and what is shown of them.

-- name: grown
-- Sources that are long enough and of another number of turns than their summary, the latest first: the user's own, and
-- of a team those that were read for this user. What an assistant or a tool said is no turn, nor is what a better
-- transcription hides. Of two that have one id, one of the user's own comes before one of a team.
WITH known AS (
    SELECT DISTINCT ON (s.source_id) s.* FROM sources s
    WHERE s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
    ORDER BY s.source_id, s.scope = 'user:' || %(user_id)s::text DESC, s.scope)
SELECT s.source_id, t.turns, t.chars, extract(epoch FROM to_timestamp(%(now)s) - t.last_at)::float8 AS silent_s, s.sensitivity,
       g.sources AS summed_up
FROM known s
JOIN (SELECT x.scope, x.source_id, count(*) AS turns, sum(length(c.words)) AS chars, max(x.at) AS last_at,
             bool_or(x.scope = 'user:' || %(user_id)s::text
                     OR EXISTS (SELECT FROM extracted e WHERE e.user_id = %(user_id)s AND e.scope = x.scope
                                AND e.segment_key = x.segment_key)) AS read
      FROM segments x JOIN content c ON c.scope = x.scope AND c.content_id = x.content_id
      WHERE x.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
        AND x.replaced_by IS NULL AND x.role NOT IN ('assistant', 'tool')
      GROUP BY x.scope, x.source_id) t ON t.scope = s.scope AND t.source_id = s.source_id
LEFT JOIN groups g ON g.user_id = %(user_id)s AND g.kind = 'summary' AND g.members[1] = s.source_id
WHERE t.read AND (t.turns >= %(turns)s OR t.chars >= %(chars)s) AND t.turns IS DISTINCT FROM g.sources
ORDER BY s.started_at DESC, s.source_id LIMIT %(most)s;

-- name: said
-- What persons said in some sources, in order; of two that have one id, in the one that `grown` gives. `gone` are
-- sentences from which a fact was read that somebody wanted forgotten.
WITH known AS (
    SELECT DISTINCT ON (s.source_id) s.scope, s.source_id FROM sources s
    WHERE s.source_id = ANY (%(sources)s) AND s.scope IN (SELECT r.scope FROM readers r WHERE r.user_id = %(user_id)s)
    ORDER BY s.source_id, s.scope = 'user:' || %(user_id)s::text DESC, s.scope)
SELECT a.place, s.segment_key, s.revision, s.speaker, coalesce(c.words, '') AS text,
       (SELECT coalesce(array_agg(w.words ORDER BY w.words), '{}')
        FROM evidence v
        JOIN fact_versions f ON f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
        JOIN content w ON w.scope = 'user:' || v.user_id AND w.content_id = v.quote
        WHERE v.user_id = %(user_id)s AND v.segment_key = s.segment_key AND f.status = 'forgotten') AS gone
FROM unnest(%(sources)s::text[]) WITH ORDINALITY AS a (source_id, place)
JOIN known k ON k.source_id = a.source_id
JOIN segments s ON s.scope = k.scope AND s.source_id = a.source_id AND s.replaced_by IS NULL
     AND s.role NOT IN ('assistant', 'tool')
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
ORDER BY a.place, s.start_s, s.ord;

-- name: standing
SELECT g.*, c.words FROM groups g
LEFT JOIN content c ON c.scope = 'user:' || g.user_id AND c.content_id = g.summary
WHERE g.user_id = %(user_id)s AND g.kind = 'summary' AND g.members[1] = ANY (%(sources)s) ORDER BY g.group_id;

-- name: shown
-- The summaries of some sources in sight, with the scope of each and the segments that it quotes.
SELECT g.members[1] AS source_id, w.scope, c.words AS text, g.quotes,
       (SELECT coalesce(array_agg(coalesce(s.segment_id, '') ORDER BY q.place), '{}')
        FROM unnest(g.quotes) WITH ORDINALITY AS q (segment_key, place)
        LEFT JOIN segments s ON s.scope = w.scope AND s.segment_key = q.segment_key) AS segment_ids
FROM groups g
JOIN segments w ON w.segment_key = g.quotes[1] AND w.scope = ANY (%(scopes)s)
JOIN content c ON c.scope = 'user:' || g.user_id AND c.content_id = g.summary
WHERE g.user_id = %(user_id)s AND g.kind = 'summary' AND g.sensitivity <= %(clearance)s
  AND g.members[1] = ANY (%(sources)s);

-- name: tags
-- The names in sight that a source tells of most.
SELECT n.words AS name
FROM seen_mentions(%(user_id)s, %(scopes)s, %(clearance)s) m
JOIN segments s ON s.segment_key = m.segment_key AND s.scope = %(scope)s AND s.replaced_by IS NULL
JOIN entities e ON e.user_id = %(user_id)s AND e.entity_id = m.entity_id AND e.merged_into IS NULL
     AND e.sensitivity <= %(clearance)s AND NOT e.is_owner
JOIN content n ON n.scope = 'user:' || e.user_id AND n.content_id = e.name
WHERE m.source_id = %(source_id)s
GROUP BY e.entity_id, n.words ORDER BY count(*) DESC, min(m.at), n.words LIMIT %(most)s;
