-- When a forgotten source began and ended: a session that goes on tells by it what belongs to a part that was forgotten, and
-- opens a part of another number for the rest. In milliseconds, masked by the key of the tombstones and the id of the source:
-- whoever cannot guess the id learns no time. Without one it was forgotten by an earlier version.

ALTER TABLE tombstones ADD COLUMN began bigint, ADD COLUMN ended bigint;

CREATE FUNCTION tombstone_mask(id text, place integer) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ('x' || encode(substring(keyed('span:' || id) FROM place FOR 8), 'hex'))::bit(64)::bigint
$$;

CREATE FUNCTION masked_began(of sources) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT round(extract(epoch FROM of.started_at) * 1000)::bigint # tombstone_mask(of.source_id, 1)
$$;

CREATE FUNCTION masked_ended(of sources) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT round((extract(epoch FROM of.started_at)
        + coalesce((SELECT max(g.end_s) FROM segments g WHERE g.scope = of.scope AND g.source_id = of.source_id), 0)::numeric)
        * 1000)::bigint # tombstone_mask(of.source_id, 9)
$$;

-- What the parts of a captured session are called.
CREATE FUNCTION part_of(session text, number integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE number WHEN 1 THEN session ELSE session || '.' || number END
$$;
