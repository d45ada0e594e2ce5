-- Words whose reading has begun and has not ended well: counted before it begins, so that it counts whatever ends it.
CREATE TABLE tried (
    user_id     text NOT NULL,                     -- for whom they are read
    scope       text NOT NULL,
    segment_key bigint NOT NULL,
    revision    integer NOT NULL,
    attempts    integer NOT NULL,
    reason      text,                              -- why the last one ended; NULL while it goes on, or its worker died
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, scope, segment_key),
    FOREIGN KEY (scope, segment_key) REFERENCES segments (scope, segment_key) ON DELETE CASCADE
);
CREATE INDEX tried_segments ON tried (scope, segment_key);

-- What is done for each user in turn and could not be done for one, until it can.
CREATE TABLE failures (
    user_id text NOT NULL,
    step    text NOT NULL,
    reason  text NOT NULL,                         -- a kind of error and ids, never words
    times   integer NOT NULL DEFAULT 1,
    since   timestamptz NOT NULL DEFAULT now(),
    at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, step)
);
