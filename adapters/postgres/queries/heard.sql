-- Segments one by one, chosen by what the provenance of their source says (memory/model/origins.py). Through the view of
-- the caller; what a better transcription has replaced is left out.

-- name: meant
-- Sources of which one of the alternatives in `origins` holds, and when something must have been said there. The
-- statements below begin with it: provenances are read once a source, not once a segment.
SELECT src.scope, src.source_id, src.provenance, o.after, o.before
FROM sources src
JOIN jsonb_to_recordset(%(origins)s)
     AS o (says jsonb, names text[], denies jsonb, after float8, before float8, alive_on text)
     ON src.provenance @> o.says AND src.provenance ?& o.names
    AND NOT EXISTS (SELECT FROM jsonb_array_elements(o.denies) AS d (said) WHERE src.provenance @> d.said)
    AND (o.alive_on IS NULL OR coalesce(src.provenance ->> 'expires_on', o.alive_on) >= o.alive_on)
WHERE src.scope = ANY(%(scopes)s) AND src.sensitivity <= %(clearance)s;

-- name: found
-- The segments of these.
SELECT DISTINCT s.scope, s.segment_key
FROM meant m JOIN segments s ON s.scope = m.scope AND s.source_id = m.source_id
WHERE s.replaced_by IS NULL AND (m.after IS NULL OR s.at >= to_timestamp(m.after))
  AND (m.before IS NULL OR s.at < to_timestamp(m.before));

-- name: keys
SELECT segment_key FROM found;

-- name: page
-- The latest first, with how many there are.
SELECT s.source_id, s.segment_id, spoken_by(s.scope, s.speaker) AS speaker, s.role, s.at, s.revision,
       s.committed_at, m.provenance, c.words AS text,
       (SELECT count(*) FROM found) AS total
FROM found f
JOIN segments s ON s.scope = f.scope AND s.segment_key = f.segment_key
CROSS JOIN LATERAL (SELECT m.provenance FROM meant m WHERE m.scope = s.scope AND m.source_id = s.source_id LIMIT 1) m
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
ORDER BY s.at DESC, s.source_id, s.ord DESC LIMIT %(limit)s OFFSET %(offset)s;

-- name: sources
-- The sources that hold any of them.
SELECT DISTINCT s.source_id FROM found f JOIN segments s ON s.scope = f.scope AND s.segment_key = f.segment_key
ORDER BY s.source_id;

-- name: named
-- These segments, those of the user's own after those of a team's source of the same id.
SELECT s.source_id, s.segment_id, spoken_by(s.scope, s.speaker) AS speaker, s.role, s.at, s.revision,
       s.committed_at, src.provenance, c.words AS text
FROM unnest(%(sources)s::text[], %(segments)s::text[]) AS w (source_id, segment_id)
JOIN segments s ON s.scope = ANY(%(scopes)s) AND s.source_id = w.source_id AND s.segment_id = w.segment_id
JOIN sources src ON src.scope = s.scope AND src.source_id = s.source_id
LEFT JOIN content c ON c.scope = s.scope AND c.content_id = s.content_id
WHERE src.sensitivity <= %(clearance)s AND s.replaced_by IS NULL
ORDER BY array_position(%(scopes)s::text[], s.scope) DESC;

-- name: labels
-- What these names say in the provenances of a scope, and of how many segments; NULL where there is no such name.
SELECT l.name, src.provenance ->> l.name AS label, count(s.segment_key) AS segments,
       min(src.started_at) AS first_at, max(src.started_at) AS last_at
FROM sources src CROSS JOIN unnest(%(names)s::text[]) AS l (name)
JOIN segments s ON s.scope = src.scope AND s.source_id = src.source_id AND s.replaced_by IS NULL
WHERE src.scope = %(scope)s AND src.sensitivity <= %(clearance)s
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: owners
-- The users to whom something was told under their own name, as an administrator tells it for them.
SELECT 'user_id' AS name, substr(src.scope, 6) AS label, count(s.segment_key) AS segments,
       min(src.started_at) AS first_at, max(src.started_at) AS last_at
FROM sources src JOIN segments s ON s.scope = src.scope AND s.source_id = src.source_id AND s.replaced_by IS NULL
WHERE src.scope = 'user:' || (src.provenance ->> 'user_id')
GROUP BY 2 ORDER BY 2;
