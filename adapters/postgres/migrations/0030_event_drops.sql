-- Events that were dropped, counted by each process of ours that drops some: they stand in nobody's log alone.
CREATE TABLE event_drops (
    user_id text NOT NULL,      -- of whose memory they told
    part    text NOT NULL,      -- gateway, shard, worker or night
    dropped bigint NOT NULL,
    PRIMARY KEY (user_id, part)
);
SELECT wall_by_user('event_drops');
