-- Rebuilding: everything that is believed of one user goes, to be written anew from captured commands.

-- name: lock_user
SELECT version FROM users WHERE user_id = %(user_id)s FOR UPDATE;

-- name: clear
-- What was heard stays, and so do the reports of nights, tokens and the queue of work.
WITH a AS (DELETE FROM journal WHERE user_id = %(user_id)s),
     b AS (DELETE FROM touched WHERE user_id = %(user_id)s),
     c AS (DELETE FROM mentions WHERE user_id = %(user_id)s),
     d AS (DELETE FROM evidence WHERE user_id = %(user_id)s),
     e AS (DELETE FROM links WHERE user_id = %(user_id)s),
     f AS (DELETE FROM notes WHERE user_id = %(user_id)s),
     g AS (DELETE FROM fact_vectors WHERE user_id = %(user_id)s),
     h AS (DELETE FROM fact_versions WHERE user_id = %(user_id)s),
     i AS (DELETE FROM entities WHERE user_id = %(user_id)s),
     j AS (DELETE FROM accesses WHERE user_id = %(user_id)s),
     m AS (DELETE FROM groups WHERE user_id = %(user_id)s),
     k AS (DELETE FROM extracted WHERE user_id = %(user_id)s),
     l AS (DELETE FROM content WHERE scope = 'user:' || %(user_id)s::text AND config IS NULL)
UPDATE users SET version = 0, profile = '{}' WHERE user_id = %(user_id)s;

-- name: advance
UPDATE users SET version = %(version)s WHERE user_id = %(user_id)s;
