-- Erasing: receipts, and the queue of what is still to be erased. See decision 0068.

-- name: receipt_id
-- The same key of the same user is the same receipt; a hash, for keys may hold words.
SELECT 'r-' || left(encode(keyed('receipt:' || %(user_id)s || chr(31) || %(key)s), 'hex'), 32) AS id;

-- name: hashed
SELECT forgotten_source(%(id)s) AS source, forgotten_id(%(id)s) AS entity, forgotten_id(%(id)s) AS voice,
       %(id)s::text AS memory;

-- name: begin
INSERT INTO receipts (receipt_id, user_id, what, id) VALUES (%(receipt_id)s, %(user_id)s, %(what)s, %(id)s)
ON CONFLICT DO NOTHING RETURNING 1;

-- name: receipt
SELECT r.receipt_id, r.what, r.id, r.at, r.counts, r.settled_at, r.swept_from, r.swept_at, r.denied,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'task', e.task, 'own', e.user_id = r.user_id, 'done_at', extract(epoch FROM e.done_at)::float8)), '[]')
        FROM erasing e WHERE e.receipt_id = r.receipt_id) AS tasks
FROM receipts r WHERE r.receipt_id = %(receipt_id)s AND r.user_id = %(user_id)s;

-- name: reached
-- The erasures with a piece in a memory: whoever reads what was forgotten has one.
SELECT count(*) AS count, coalesce(extract(epoch FROM max(r.at)), 0)::float8 AS latest
FROM erasing e JOIN receipts r ON r.receipt_id = e.receipt_id WHERE e.user_id = %(user_id)s;

-- name: cancel
-- What was asked for turned out to be impossible: nothing was erased.
DELETE FROM receipts WHERE receipt_id = %(receipt_id)s;

-- name: count
-- Add to what a receipt counts; figures of one name add up.
UPDATE receipts r SET counts = (
    SELECT coalesce(jsonb_object_agg(c.name, c.figure), '{}')
    FROM (SELECT e.key AS name, sum(e.value::bigint) AS figure
          FROM (SELECT * FROM jsonb_each_text(r.counts) UNION ALL SELECT * FROM jsonb_each_text(%(counts)s)) e
          GROUP BY e.key) c)
WHERE r.receipt_id = %(receipt_id)s;

-- name: ask
-- Whoever asks begins at once; if it does not live to finish, others do after the lease.
INSERT INTO erasing (receipt_id, task, user_id, told, next_attempt)
SELECT %(receipt_id)s, t.task, t.user_id, t.told, now() + make_interval(secs => %(lease_s)s)
FROM jsonb_to_recordset(%(tasks)s) AS t (task text, user_id text, told jsonb);

-- name: tasks_of
SELECT receipt_id, task, user_id, told, attempts FROM erasing WHERE receipt_id = %(receipt_id)s AND done_at IS NULL;

-- name: claim
-- What is due, leased to the caller. What another one has its hands on is left to it.
UPDATE erasing e SET next_attempt = now() + make_interval(secs => %(lease_s)s)
FROM (SELECT receipt_id, task, user_id FROM erasing WHERE done_at IS NULL AND next_attempt <= now()
      ORDER BY next_attempt LIMIT %(limit)s FOR UPDATE SKIP LOCKED) d
WHERE (e.receipt_id, e.task, e.user_id) = (d.receipt_id, d.task, d.user_id)
RETURNING e.receipt_id, e.task, e.user_id, e.told, e.attempts;

-- name: finish
-- What a piece needed to know goes with it.
UPDATE erasing SET told = '{}', last_error = NULL, done_at = now()
WHERE receipt_id = %(receipt_id)s AND task = %(task)s AND user_id = %(user_id)s AND done_at IS NULL RETURNING 1;

-- name: settle
-- Two pieces that end at once each wait for the row of the receipt, which `count` has locked.
UPDATE receipts r SET settled_at = now()
WHERE r.receipt_id = %(receipt_id)s AND r.settled_at IS NULL
  AND NOT EXISTS (SELECT FROM erasing e WHERE e.receipt_id = r.receipt_id AND e.done_at IS NULL);

-- name: failed
-- Back-off: base * 2^n seconds, capped. It is never given up.
UPDATE erasing SET attempts = attempts + 1, last_error = %(error)s,
       next_attempt = now() + make_interval(secs => least(%(cap_s)s, %(base_s)s * 2 ^ least(attempts, 20)))
WHERE receipt_id = %(receipt_id)s AND task = %(task)s AND user_id = %(user_id)s AND done_at IS NULL;

-- name: taught
-- By which words these segments meant whom, for whoever has to unlearn them when the words are gone.
SELECT m.user_id, m.entity_id, array_agg(c.words) AS quotes
FROM mentions m
JOIN entities e ON e.user_id = m.user_id AND e.entity_id = m.entity_id AND m.sensitivity <= e.sensitivity
JOIN content c ON c.scope = 'user:' || m.user_id AND c.content_id = m.quote
WHERE m.segment_key = ANY(%(keys)s) AND m.user_id = ANY(%(users)s)
GROUP BY m.user_id, m.entity_id;

-- name: vectors
SELECT count(*) AS count FROM segment_vectors WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s::bigint[]);

-- name: with_replaced
-- A segment, and the earlier transcriptions of the same words: what it hides, and what is hidden and overlaps it. For one
-- that a sweep has parted names a single cover, and holds the words of every part. What hides itself holds no words.
SELECT s.segment_key FROM segments s
WHERE s.scope = %(scope)s AND s.source_id = %(source_id)s AND (
    %(segment_id)s IN (s.segment_id, s.replaced_by)
    OR s.replaced_by <> s.segment_id
       AND EXISTS (SELECT 1 FROM segments e
                   WHERE e.scope = s.scope AND e.source_id = s.source_id AND e.segment_id = %(segment_id)s
                     AND s.start_s < e.end_s AND s.end_s > e.start_s));

-- name: drop_segments
DELETE FROM segments WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s::bigint[]);

-- name: drop_wordings
-- What the segment said before it was put into other words, as the provenance of its source keeps it.
UPDATE sources SET provenance = provenance - ARRAY(
    SELECT name FROM jsonb_object_keys(provenance) AS p (name)
    WHERE substring(name FROM '^was\.\d+\.(.*)$') = %(segment_id)s)
WHERE scope = %(scope)s AND source_id = %(source_id)s;

-- name: erase_words
-- The words of these segments, and what was quoted of them in the memories of their readers.
DELETE FROM content WHERE scope = ANY(%(scopes)s) AND owner = ANY(%(owners)s) RETURNING 1;

-- name: unswept
-- Whether what was erased first of all that was not swept since has waited long enough.
SELECT min(coalesce(settled_at, at)) <= now() - make_interval(secs => %(after_s)s) AS due FROM receipts
WHERE swept_from IS NULL OR swept_from < settled_at;

-- name: now
SELECT clock_timestamp() AS now;

-- name: swept
UPDATE receipts SET swept_from = %(begun)s, swept_at = now(), denied = %(denied)s
WHERE at <= %(begun)s AND (swept_from IS NULL OR settled_at IS NULL OR swept_from < settled_at);

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
INSERT INTO tombstones (scope, hash, at, began, ended)
SELECT s.scope, keyed('source:' || s.source_id), now(), masked_began(s), masked_ended(s)
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
-- Who had claimed the memory is fenced, too: what they still believe is of one that is no more.
WITH gone AS (DELETE FROM users WHERE user_id = %(user_id)s),
     disowned AS (DELETE FROM owners WHERE user_id = %(user_id)s),
     unread AS (DELETE FROM extracted WHERE user_id = %(user_id)s),
     untried AS (DELETE FROM tried WHERE user_id = %(user_id)s),
     unfailed AS (DELETE FROM failures WHERE user_id = %(user_id)s),
     unasked AS (DELETE FROM work WHERE user_id = %(user_id)s),
     unseen AS (DELETE FROM audit WHERE user_id = %(user_id)s),
     uncounted AS (DELETE FROM event_drops WHERE user_id = %(user_id)s),
     unheard AS (DELETE FROM voices WHERE scope = %(scope)s),
     unchanged AS (DELETE FROM voice_changes WHERE scope = %(scope)s),
     untold AS (DELETE FROM events WHERE user_id = %(user_id)s),  -- locked since drop_sources
     lines AS (DELETE FROM rejected_lines WHERE split_part(path, '/', 1) = ANY(%(folders)s)),
     places AS (DELETE FROM file_offsets WHERE split_part(path, '/', 1) = ANY(%(folders)s))
DELETE FROM readers WHERE user_id = %(user_id)s OR scope = %(scope)s;
