-- Forgetting: what is looked up and dropped beside turns.

-- name: about
SELECT about_id FROM notes
WHERE user_id = %(user_id)s AND note_id = %(note_id)s AND sensitivity <= %(clearance)s;

-- name: once
-- Facts and entities that rested on these segments at some time, as the journal tells, perhaps in earlier words.
SELECT DISTINCT coalesce(c.row ->> 'fact_id', c.row ->> 'entity_id') AS id
FROM (SELECT e ->> 'noun' AS noun, coalesce(e -> 'after', e -> 'before') AS row
      FROM journal j, jsonb_array_elements(j.changes) AS e
      WHERE j.user_id = %(user_id)s) c
WHERE c.noun IN ('mention', 'evidence') AND (c.row ->> 'segment_key')::bigint = ANY(%(keys)s::bigint[]);

-- name: resting
-- Users in whose memory something still rests on these segments.
SELECT user_id FROM mentions WHERE segment_key = ANY(%(keys)s::bigint[])
UNION SELECT user_id FROM evidence WHERE segment_key = ANY(%(keys)s::bigint[])
ORDER BY user_id;

-- name: unclaimed
-- The segments of those sources of a scope on whose words no fact rests any more.
SELECT s.source_id, array_agg(s.segment_key ORDER BY s.segment_key) AS keys
FROM segments s
WHERE s.scope = %(scope)s AND s.source_id = ANY(%(sources)s)
GROUP BY s.source_id
HAVING NOT EXISTS (SELECT FROM evidence e WHERE e.segment_key = ANY(array_agg(s.segment_key)))
ORDER BY s.source_id;

-- name: weight
SELECT (SELECT count(*) FROM fact_vectors WHERE user_id = %(user_id)s) AS vectors,
       (SELECT count(*) FROM content WHERE scope = %(scope)s) AS content;

-- name: lives
SELECT 1 FROM users WHERE user_id = %(user_id)s AND version > 0;

-- name: drop_accesses
DELETE FROM accesses WHERE user_id = %(user_id)s AND id = ANY(%(ids)s);

-- name: drop_offset
WITH lines AS (DELETE FROM rejected_lines WHERE path = %(path)s)
DELETE FROM file_offsets WHERE path = %(path)s;
