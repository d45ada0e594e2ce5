-- The journal: one transaction a turn.

-- name: claim
-- Become the writer of a memory; every older one is fenced from here on. What it is about to commit is waited for. Nothing
-- where a later claim was faster: then this one is no claim, and another number is taken.
INSERT INTO owners (user_id, shard, epoch) VALUES (%(user_id)s, %(shard)s, nextval('epochs'))
ON CONFLICT (user_id) DO UPDATE SET shard = EXCLUDED.shard, epoch = EXCLUDED.epoch WHERE owners.epoch < EXCLUDED.epoch
RETURNING epoch;

-- name: ownership
SELECT coalesce((SELECT o.epoch FROM owners o WHERE o.user_id = %(user_id)s), 0) AS epoch,
       coalesce((SELECT u.version FROM users u WHERE u.user_id = %(user_id)s), 0) AS version;

-- name: fence
-- Held until commit, so that no newer writer can claim the memory between the check and the write. A writer that is paused
-- in between is thrown out by the server after ten seconds, or its successor would wait for as long as the pause.
SELECT epoch, set_config('idle_in_transaction_session_timeout', '10s', true) FROM owners
WHERE user_id = %(user_id)s FOR SHARE;

-- name: take_turn
-- Fences, looks for the command, and moves the memory on: see migration 0031.
SELECT take_turn(%(epoch)s, %(user_id)s, %(version)s, %(command_id)s) AS outcome;

-- name: sleeps
-- Whether a night of this memory goes on: what it does to a memory that was deleted meanwhile would bring its user back.
SELECT 1 FROM nights WHERE user_id = %(user_id)s AND plan IS NOT NULL LIMIT 1;

-- name: ensure_user
INSERT INTO users (user_id) VALUES (%(user_id)s) ON CONFLICT DO NOTHING;

-- name: ensure_reader
INSERT INTO readers (scope, user_id) VALUES ('user:' || %(user_id)s::text, %(user_id)s) ON CONFLICT DO NOTHING;

-- name: set_profile
UPDATE users SET profile = %(profile)s WHERE user_id = %(user_id)s;

-- name: write_journal
INSERT INTO journal (user_id, version, command_id, kind, actor, at, changes, outcomes, undoes)
VALUES (%(user_id)s, %(version)s, %(command_id)s, %(kind)s, %(actor)s, to_timestamp(%(at)s), %(changes)s, %(outcomes)s,
        %(undoes)s);

-- name: touch
INSERT INTO touched (user_id, id, version)
SELECT %(user_id)s, id, %(version)s FROM jsonb_array_elements_text(%(ids)s) AS id;

-- name: put_content
INSERT INTO content (scope, content_id, owner, words)
SELECT %(scope)s, c.content_id, c.owner, c.words
FROM unnest(%(content_ids)s::bigint[], %(owners)s::text[], %(words)s::text[]) AS c (content_id, owner, words)
ON CONFLICT DO NOTHING;

-- name: erase_content
DELETE FROM content WHERE scope = %(scope)s AND owner = ANY(%(owners)s) AND config IS NULL;

-- name: erase_outdated
-- What an entity was called, and said to be, before words that taught it were forgotten.
DELETE FROM content c WHERE c.scope = %(scope)s AND c.owner = ANY(%(ids)s) AND c.config IS NULL
  AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.user_id = %(user_id)s AND e.entity_id = c.owner
                  AND c.content_id IN (e.name, e.qualifier, e.aliases, e.properties, e.description));

-- name: erase_quoting
-- Every summary that a group ever had and that quoted one of these segments, but for those that stand.
DELETE FROM content c
WHERE c.scope = %(scope)s AND c.config IS NULL AND c.content_id IN (
    SELECT (s."row" ->> 'summary')::bigint
    FROM journal j
    CROSS JOIN LATERAL jsonb_array_elements(j.changes) AS e (change)
    CROSS JOIN LATERAL (VALUES (e.change -> 'before'), (e.change -> 'after')) AS s ("row")
    WHERE j.user_id = %(user_id)s AND j.changes @> '[{"noun": "group"}]' AND e.change ->> 'noun' = 'group'
      AND s."row" -> 'quotes' @> ANY (SELECT to_jsonb(k.key) FROM unnest(%(keys)s::bigint[]) AS k (key)))
  AND NOT EXISTS (SELECT FROM groups g WHERE g.user_id = %(user_id)s AND g.summary = c.content_id);

-- name: erase_predicates
-- A predicate may hold a word of the statement (habit:run); it goes from the history with the fact it belonged to.
UPDATE journal j SET changes = (
    SELECT jsonb_agg(CASE
        WHEN e.change ->> 'noun' = 'fact' AND coalesce(e.change -> 'after', e.change -> 'before') ->> 'fact_id' = ANY(%(ids)s)
        THEN (SELECT jsonb_object_agg(s.key, CASE WHEN s.key IN ('before', 'after') THEN s.value || '{"predicate": null}'
                                                  ELSE s.value END) FROM jsonb_each(e.change) s)
        ELSE e.change END ORDER BY e.place)
    FROM jsonb_array_elements(j.changes) WITH ORDINALITY AS e (change, place))
WHERE j.user_id = %(user_id)s
  AND j.version IN (SELECT t.version FROM touched t WHERE t.user_id = %(user_id)s AND t.id = ANY(%(ids)s));

-- name: forget_history
-- Keyed hashes in the place of what was erased, in the history (migration 0023) and in the reports of nights (0032); and
-- nothing of it in a night under way (0028).
SELECT forget_history(%(user_id)s, %(sources)s, %(ids)s, %(keys)s),
       forget_kept(%(user_id)s, %(ids)s::text[] || %(sources)s::text[]), forget_reported(%(user_id)s, %(ids)s);

-- name: close_facts
-- Goes before the statement that opens the next versions: all are closed before the first is opened.
WITH closed AS (
    UPDATE fact_versions f SET system_to = to_timestamp(r.system_to)
    FROM jsonb_to_recordset(%(closing)s) AS r (fact_id text, version integer, system_to double precision)
    WHERE f.user_id = %(user_id)s AND f.fact_id = r.fact_id AND f.version = r.version
    RETURNING f.fact_id),
all_closed AS (SELECT count(*) FROM closed);

-- name: erase_facts
DELETE FROM fact_versions WHERE user_id = %(user_id)s AND fact_id = ANY(%(fact_ids)s);

-- name: put_fact_vector
INSERT INTO fact_vectors (user_id, fact_id, encoder, vector)
VALUES (%(user_id)s, %(fact_id)s, %(encoder)s, %(vector)s::vector)
ON CONFLICT (user_id, fact_id, encoder) DO UPDATE SET vector = EXCLUDED.vector, due = false;

-- name: erase_fact_vectors
DELETE FROM fact_vectors WHERE user_id = %(user_id)s AND fact_id = ANY(%(fact_ids)s);

-- name: still_standing
-- Locked until commit, so that a deletion waits for the turn and then finds what it has to withdraw.
WITH standing AS (
    SELECT s.segment_key FROM segments s
    JOIN unnest(%(keys)s::bigint[], %(revisions)s::integer[]) AS r (segment_key, revision)
      ON s.segment_key = r.segment_key AND s.revision = r.revision
    WHERE s.scope IN (SELECT d.scope FROM readers d WHERE d.user_id = %(user_id)s)
    FOR SHARE OF s)
SELECT count(*) AS count FROM standing;

-- name: still_told
-- How many of these sources and segments are there, in the scopes that are read for a user. Locked until commit, as above.
WITH told AS (
    SELECT s.source_id FROM sources s
    WHERE s.scope IN (SELECT d.scope FROM readers d WHERE d.user_id = %(user_id)s) AND s.source_id = ANY(%(sources)s)
    FOR SHARE OF s),
said AS (
    SELECT s.segment_key FROM segments s
    WHERE s.scope IN (SELECT d.scope FROM readers d WHERE d.user_id = %(user_id)s)
      AND s.segment_key = ANY(%(keys)s) AND s.replaced_by IS NULL
    FOR SHARE OF s)
SELECT (SELECT count(DISTINCT source_id) FROM told) + (SELECT count(*) FROM said) AS count;

-- name: unmark_extracted
DELETE FROM extracted WHERE user_id = %(user_id)s AND segment_key = ANY(%(keys)s);

-- name: mark_extracted
INSERT INTO extracted (user_id, scope, segment_key, revision)
SELECT %(user_id)s, s.scope, s.segment_key, r.revision
FROM unnest(%(keys)s::bigint[], %(revisions)s::integer[]) AS r (segment_key, revision)
JOIN segments s ON s.segment_key = r.segment_key AND s.scope IN (SELECT d.scope FROM readers d WHERE d.user_id = %(user_id)s)
ON CONFLICT (user_id, scope, segment_key) DO UPDATE SET revision = EXCLUDED.revision;

-- name: hold_reading
-- Whoever captures holds the row of work until commit. Had finish_reading to wait for it, it would still look at the
-- segments as they were before, and take away the reading of those that have come.
SELECT 1 FROM work w
WHERE w.task = 'read' AND w.user_id = %(user_id)s
  AND (w.scope, w.source_id) IN (SELECT DISTINCT scope, source_id FROM segments WHERE segment_key = ANY(%(keys)s))
ORDER BY w.scope, w.source_id FOR UPDATE OF w;

-- name: finish_reading
-- The work is done when no visible segment of a touched source is left unread, and none that was read is hidden since.
DELETE FROM work w
WHERE w.task = 'read' AND w.user_id = %(user_id)s
  AND (w.scope, w.source_id) IN (SELECT DISTINCT scope, source_id FROM segments WHERE segment_key = ANY(%(keys)s))
  AND NOT EXISTS (
      SELECT 1 FROM segments s
      WHERE s.scope = w.scope AND s.source_id = w.source_id
        AND CASE WHEN s.replaced_by IS NULL THEN s.revision END
            IS DISTINCT FROM (SELECT e.revision FROM extracted e  -- by its whole key: see to_read
                              WHERE e.user_id = w.user_id AND e.scope = s.scope AND e.segment_key = s.segment_key));

-- name: cross_sources
UPDATE sources s SET state = r.after
FROM unnest(%(source_ids)s::text[], %(before)s::text[], %(after)s::text[]) AS r (source_id, before, after)
WHERE s.scope = %(scope)s AND s.source_id = r.source_id AND s.state = r.before;

-- name: sources_of
-- The sources of the user's own scope that these segments belong to.
SELECT segment_key, source_id, started_at FROM segments JOIN sources USING (scope, source_id)
WHERE scope = %(scope)s AND segment_key = ANY(%(keys)s);

-- name: load_user
SELECT version, profile FROM users WHERE user_id = %(user_id)s;

-- name: load_content
-- The user's own words, without the segments (config is set only on searchable words).
SELECT content_id, words FROM content WHERE scope = %(scope)s AND config IS NULL;

-- name: load_entities
SELECT * FROM entities WHERE user_id = %(user_id)s;

-- name: load_mentions
SELECT * FROM mentions WHERE user_id = %(user_id)s;

-- name: load_facts
SELECT * FROM fact_versions WHERE user_id = %(user_id)s AND system_to IS NULL;

-- name: load_evidence
SELECT * FROM evidence WHERE user_id = %(user_id)s ORDER BY at;

-- name: load_links
SELECT * FROM links WHERE user_id = %(user_id)s;

-- name: load_notes
SELECT * FROM notes WHERE user_id = %(user_id)s;

-- name: load_groups
SELECT * FROM groups WHERE user_id = %(user_id)s;

-- name: load_accesses
SELECT * FROM accesses WHERE user_id = %(user_id)s;

-- name: fact_vectors
SELECT fact_id, vector_send(vector) AS vector FROM fact_vectors WHERE user_id = %(user_id)s AND encoder = %(encoder)s;

-- name: last_command
-- The last command of the owner that changed something, is no undo, and was not undone.
SELECT j.* FROM journal j
WHERE j.user_id = %(user_id)s AND j.undoes IS NULL AND j.actor NOT IN ('extraction', 'night', 'access')
  AND j.changes <> '[]'::jsonb
  AND NOT EXISTS (SELECT 1 FROM journal u WHERE u.user_id = j.user_id AND u.undoes = j.command_id)
ORDER BY j.version DESC LIMIT 1;

-- name: one_command
SELECT j.*, EXISTS (SELECT 1 FROM journal u WHERE u.user_id = j.user_id AND u.undoes = j.command_id) AS undone
FROM journal j
WHERE j.user_id = %(user_id)s AND j.command_id IN (%(command_id)s, forgotten_command(%(command_id)s));

-- name: content_of
SELECT content_id, words FROM content WHERE scope = %(scope)s AND content_id = ANY(%(ids)s);

-- name: moved_users
-- The last transaction that changed the row of each user: every turn does, and whatever else leaves facts to encode.
SELECT user_id, xmin::text::bigint AS moved FROM users;

-- name: unencoded_facts
-- Facts that stand without a vector, or with one that is to be made anew: the encoder was away, or is another now.
-- Invalidated ones too: they stand in a view that does not see what spoke against them. Words are looked up last.
WITH waiting AS (
    SELECT f.user_id, f.fact_id, f.statement, v.fact_id IS NOT NULL AS anew
    FROM fact_versions f
    LEFT JOIN fact_vectors v ON v.user_id = f.user_id AND v.fact_id = f.fact_id AND v.encoder = %(encoder)s
    WHERE f.system_to IS NULL AND f.status IN ('active', 'superseded', 'invalidated') AND (v.fact_id IS NULL OR v.due)
      AND f.user_id = ANY(%(users)s)
    ORDER BY f.user_id, f.fact_id LIMIT %(limit)s)
SELECT w.user_id, w.fact_id, c.words AS statement, w.anew
FROM waiting w JOIN content c ON c.scope = 'user:' || w.user_id AND c.content_id = w.statement
ORDER BY w.user_id, w.fact_id;

-- name: unjudged_facts
SELECT f.user_id, f.fact_id, c.words AS statement
FROM fact_versions f
JOIN content c ON c.scope = 'user:' || f.user_id AND c.content_id = f.statement
WHERE f.system_to IS NULL AND f.status = 'active' AND f.judged_by LIKE 'rules for %%'
ORDER BY f.user_id, f.fact_id LIMIT %(limit)s;

-- name: renew_fact_vectors
-- The user first, as every turn locks: the vectors wait for its row.
WITH moved AS (UPDATE users SET version = version WHERE user_id = %(user_id)s RETURNING user_id)
UPDATE fact_vectors v SET due = true FROM moved m WHERE v.user_id = m.user_id AND v.encoder = %(encoder)s;
