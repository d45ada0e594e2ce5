-- Nights: when they are due, and what they told. A night that has a plan is not over.

-- name: sleepers
SELECT u.user_id, coalesce(u.profile ->> 'time_zone', 'UTC') AS zone,
       coalesce((SELECT max(at) FROM nights n WHERE n.user_id = u.user_id AND n.plan IS NULL), u.created_at) AS since,
       (SELECT max(night) FROM nights n WHERE n.user_id = u.user_id AND n.plan IS NULL) AS last
FROM users u ORDER BY u.user_id;

-- name: report
SELECT report FROM nights WHERE user_id = %(user_id)s AND night = %(night)s AND plan IS NULL;

-- name: plan
SELECT report, plan, kept FROM nights WHERE user_id = %(user_id)s AND night = %(night)s;

-- name: begin
-- Of a memory that is there: a night must not bring back the user of one that was deleted.
INSERT INTO nights (user_id, night, at, report, plan, kept, commands, begun_at)
SELECT user_id, %(night)s, to_timestamp(%(at)s), %(report)s, %(plan)s, %(kept)s, %(ids)s, now() FROM users WHERE user_id = %(user_id)s
ON CONFLICT DO NOTHING
RETURNING night;

-- name: keep
-- A step that comes later; one that the plan has stays as it is. Of a night that an earlier version began the ids are
-- collected when it is over.
UPDATE nights
SET kept = coalesce(kept, '{}') || jsonb_build_object(%(step)s::text, %(commands)s::jsonb),
    report = report || jsonb_build_object(%(step)s::text, %(figures)s::jsonb),
    commands = CASE WHEN commands IS NULL THEN NULL ELSE commands || %(ids)s::text[] END
WHERE user_id = %(user_id)s AND night = %(night)s AND plan IS NOT NULL AND NOT coalesce(kept, '{}') ? %(step)s
RETURNING report, plan, kept;

-- name: tell
UPDATE nights SET report = report || jsonb_build_object(%(step)s::text, %(figures)s::jsonb)
WHERE user_id = %(user_id)s AND night = %(night)s AND plan IS NOT NULL;

-- name: committed
-- Those of these commands that were committed.
SELECT command_id FROM journal WHERE user_id = %(user_id)s AND command_id = ANY(%(ids)s);

-- name: under_way
-- Users of whom a night runs; one that was begun longer ago has died, and waits to be resumed.
SELECT DISTINCT user_id FROM nights WHERE plan IS NOT NULL AND begun_at > now() - make_interval(secs => %(longest_s)s);

-- name: finish
UPDATE nights
SET plan = NULL, kept = NULL,
    commands = ARRAY(SELECT DISTINCT id FROM unnest(coalesce(commands, '{}') || %(ids)s::text[]) AS id ORDER BY id)
WHERE user_id = %(user_id)s AND night = %(night)s
RETURNING report, plan, kept;

-- name: done
-- What a night has committed and what of it can be reversed: what changed something and was not undone, in order. And the
-- sources it moved that have moved on since, and how the rest was reversed.
WITH told AS (SELECT * FROM nights WHERE user_id = %(user_id)s AND night = %(night)s),
standing AS (
    SELECT j.command_id, j.version, j.changes
    FROM told n JOIN journal j ON j.user_id = n.user_id AND j.command_id = ANY (n.commands)
    WHERE j.actor = 'night' AND j.changes <> '[]'
      AND NOT EXISTS (SELECT FROM journal u WHERE u.user_id = j.user_id AND u.undoes = j.command_id))
SELECT n.plan IS NULL AS over, n.commands IS NOT NULL AS known,
       ARRAY(SELECT s.command_id FROM standing s ORDER BY s.version) AS standing,
       ARRAY(SELECT DISTINCT src.source_id
             FROM standing s, jsonb_array_elements(s.changes) AS c (change)
             JOIN sources src ON src.scope = %(scope)s AND src.source_id = c.change -> 'after' ->> 'source_id'
             WHERE c.change ->> 'noun' = 'source' AND src.state <> c.change -> 'after' ->> 'state'
             ORDER BY src.source_id) AS moved_sources,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'command_id', u.command_id, 'undoes', u.undoes, 'changes', jsonb_array_length(u.changes),
            'skipped', jsonb_path_query_array(u.outcomes, '$[*] ? (@.outcome == "skipped").fact_id'))
            ORDER BY u.version), '[]')
        FROM journal u WHERE u.user_id = n.user_id AND u.undoes = ANY (n.commands)) AS reversals
FROM told n;

-- name: undone
UPDATE nights SET report = report || '{"undone": true}' WHERE user_id = %(user_id)s AND night = %(night)s;

-- name: last
SELECT max(night) AS night FROM nights WHERE user_id = %(user_id)s AND plan IS NULL;

-- name: left_to_a_job
-- Users whose latest night has left their communities to a job, and which night that was.
SELECT n.user_id, n.night
FROM users u
JOIN LATERAL (SELECT * FROM nights l WHERE l.user_id = u.user_id AND l.plan IS NULL ORDER BY l.night DESC LIMIT 1) n ON true
WHERE n.report -> %(step)s @> jsonb_build_object(%(left)s::text, true) AND NOT n.report ? 'undone'
ORDER BY n.user_id;

-- name: since
-- The instant since which nights of one user are due.
SELECT coalesce((SELECT max(at) FROM nights n WHERE n.user_id = u.user_id AND n.plan IS NULL), u.created_at) AS since
FROM users u WHERE u.user_id = %(user_id)s;
