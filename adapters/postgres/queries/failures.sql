-- Failures: what could not be done for one user.

-- name: note
INSERT INTO failures (user_id, step, reason) VALUES (%(user_id)s, %(step)s, %(reason)s)
ON CONFLICT (user_id, step) DO UPDATE SET reason = EXCLUDED.reason, times = failures.times + 1, at = now();

-- name: over
DELETE FROM failures WHERE user_id = %(user_id)s AND step = %(step)s;

-- name: of
SELECT step, reason, times, since, at FROM failures WHERE user_id = %(user_id)s ORDER BY step;

-- name: resting
SELECT user_id FROM failures
WHERE step = %(step)s AND at + make_interval(secs => least(%(cap_s)s, %(base_s)s * 2 ^ least(times - 1, 20))) > now();
