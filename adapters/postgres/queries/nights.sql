-- Nights: when they are due, and what they told. A night that has a plan is not over.

-- name: sleepers
SELECT u.user_id, coalesce(u.profile ->> 'time_zone', 'UTC') AS zone,
       coalesce((SELECT max(at) FROM nights n WHERE n.user_id = u.user_id AND n.plan IS NULL), u.created_at) AS since
FROM users u ORDER BY u.user_id;

-- name: report
SELECT report FROM nights WHERE user_id = %(user_id)s AND night = %(night)s AND plan IS NULL;

-- name: plan
SELECT report, plan FROM nights WHERE user_id = %(user_id)s AND night = %(night)s;

-- name: begin
-- Of a memory that is there: a night must not bring back the user of one that was deleted.
INSERT INTO nights (user_id, night, at, report, plan, begun_at)
SELECT user_id, %(night)s, to_timestamp(%(at)s), %(report)s, %(plan)s, now() FROM users WHERE user_id = %(user_id)s
ON CONFLICT DO NOTHING
RETURNING night;

-- name: committed
-- Those of these commands that were committed.
SELECT command_id FROM journal WHERE user_id = %(user_id)s AND command_id = ANY(%(ids)s);

-- name: under_way
-- Users of whom a night runs; one that was begun longer ago has died, and waits to be resumed.
SELECT DISTINCT user_id FROM nights WHERE plan IS NOT NULL AND begun_at > now() - make_interval(secs => %(longest_s)s);

-- name: finish
UPDATE nights SET plan = NULL WHERE user_id = %(user_id)s AND night = %(night)s;

-- name: last
SELECT max(night) AS night FROM nights WHERE user_id = %(user_id)s AND plan IS NULL;

-- name: since
-- The instant since which nights of one user are due.
SELECT coalesce((SELECT max(at) FROM nights n WHERE n.user_id = u.user_id AND n.plan IS NULL), u.created_at) AS since
FROM users u WHERE u.user_id = %(user_id)s;
