-- Forgetting: what has to be looked up before words are erased, and a whole memory at once.

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

-- name: vectors
SELECT count(*) AS count FROM segment_vectors WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s::bigint[]);

-- name: fact_vectors
SELECT count(*) AS count FROM fact_vectors WHERE user_id = %(user_id)s;

-- name: words
SELECT count(*) AS count FROM content WHERE scope = ANY(%(scopes)s);

-- name: drop_accesses
DELETE FROM accesses WHERE user_id = %(user_id)s AND id = ANY(%(ids)s);

-- name: drop_offset
WITH lines AS (DELETE FROM rejected_lines WHERE path = %(path)s)
DELETE FROM file_offsets WHERE path = %(path)s;

-- name: lock_user
SELECT 1 FROM users WHERE user_id = %(user_id)s FOR UPDATE;

-- name: weigh
-- What a memory holds.
SELECT (SELECT count(*) FROM segments WHERE scope = %(scope)s) AS segments,
       (SELECT count(*) FROM fact_versions WHERE user_id = %(user_id)s AND system_to IS NULL) AS facts,
       (SELECT count(*) FROM entities WHERE user_id = %(user_id)s) AS entities,
       (SELECT count(*) FROM segment_vectors WHERE scope = %(scope)s)
           + (SELECT count(*) FROM fact_vectors WHERE user_id = %(user_id)s) AS vectors,
       (SELECT count(*) FROM content WHERE scope = %(scope)s) AS content;

-- name: bury_all
INSERT INTO tombstones (scope, hash, at)
SELECT s.scope, sha256((SELECT value FROM secrets WHERE name = 'tombstone') || convert_to('source:' || s.source_id, 'UTF8')),
       now()
FROM sources s WHERE s.scope = %(scope)s ON CONFLICT DO NOTHING;

-- name: remove_all
-- Readers who have caught up drop the keys of a scope; numbers are all that stays.
INSERT INTO removals (scope, segment_key, position, revision)
SELECT scope, segment_key, %(position)s, revision FROM segments WHERE scope = %(scope)s
ON CONFLICT (scope, segment_key) DO UPDATE SET position = EXCLUDED.position, revision = EXCLUDED.revision;

-- name: drop_sources
DELETE FROM sources WHERE scope = %(scope)s;

-- name: drop_words
DELETE FROM content WHERE scope = %(scope)s;

-- name: drop_user
WITH gone AS (DELETE FROM users WHERE user_id = %(user_id)s),
     unread AS (DELETE FROM extracted WHERE user_id = %(user_id)s),
     unasked AS (DELETE FROM work WHERE user_id = %(user_id)s),
     unseen AS (DELETE FROM audit WHERE user_id = %(user_id)s),
     lines AS (DELETE FROM rejected_lines WHERE split_part(path, '/', 1) = ANY(%(folders)s)),
     places AS (DELETE FROM file_offsets WHERE split_part(path, '/', 1) = ANY(%(folders)s))
DELETE FROM readers WHERE user_id = %(user_id)s OR scope = %(scope)s;
