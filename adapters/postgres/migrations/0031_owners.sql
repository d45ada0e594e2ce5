-- The fence stands before each memory (decision 0095): a shard claims a user, and whoever had claimed them before commits
-- nothing of theirs any more, and everything of others as before. So memories can move between shards one by one.

-- Epochs of all users come from one sequence, and begin above those of the shards. None is ever given twice: a writer from
-- before a memory was deleted cannot be mistaken for the one of its next life.
CREATE SEQUENCE epochs;
SELECT setval('epochs', (SELECT coalesce(max(epoch), 0) + 1 FROM shards));

CREATE TABLE owners (                              -- no reference to users: a memory is claimed before its first turn
    user_id text PRIMARY KEY,
    shard   text NOT NULL,                         -- who has claimed it last, for people to read
    epoch   bigint NOT NULL                        -- the one that may commit
);
SELECT wall_by_user('owners');

DROP FUNCTION take_turn(text, bigint, text, bigint, text);
DROP TABLE shards;

-- As before (0023), with the fence of the user. It is locked last, after the row of the user, as by whoever deletes or
-- rebuilds a memory: until commit no newer writer can claim the user. A writer that is paused in between is thrown out by
-- the server after ten seconds, or its successor would wait for as long as the pause.
CREATE FUNCTION take_turn(of_epoch bigint, whose text, believed bigint, command text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    moved boolean;
BEGIN
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
    PERFORM 1 FROM owners o WHERE o.user_id = whose AND o.epoch = of_epoch;
    IF NOT FOUND THEN RETURN 'fenced'; END IF;
    PERFORM 1 FROM journal j WHERE j.user_id = whose AND j.command_id IN (command, forgotten_command(command));
    IF FOUND THEN RETURN 'known'; END IF;
    INSERT INTO users (user_id) VALUES (whose) ON CONFLICT DO NOTHING;
    INSERT INTO readers (scope, user_id) VALUES ('user:' || whose, whose) ON CONFLICT DO NOTHING;
    -- the optimistic check: only on top of the version the turn was decided on
    UPDATE users u SET version = u.version + 1 WHERE u.user_id = whose AND u.version = believed;
    moved := FOUND;
    PERFORM 1 FROM owners o WHERE o.user_id = whose AND o.epoch = of_epoch FOR SHARE;
    IF NOT FOUND THEN RETURN 'fenced'; END IF;
    RETURN CASE WHEN moved THEN 'taken' ELSE 'stale' END;
END $$;
