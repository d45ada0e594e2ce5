-- Lifetimes: what recalls have strengthened, when a fact was last judged, and plans of nights that are being carried out.

-- Recalls are kept for facts, entities and sources ("source:" before the id); those of single segments served nothing.
DELETE FROM accesses WHERE id ~ '^-?[0-9]+$';
ALTER TABLE accesses
    ADD COLUMN value         double precision NOT NULL DEFAULT 0.5,  -- strength by the spaced law at last_at
    ADD COLUMN gradient      double precision NOT NULL DEFAULT 1,    -- exponent of count in that law
    ADD COLUMN interval_days double precision NOT NULL DEFAULT 0;    -- between the last two recalls

ALTER TABLE fact_versions
    ADD COLUMN updated_at timestamptz;               -- when it was last judged; NULL = with this version

ALTER TABLE nights
    ADD COLUMN plan jsonb;                           -- what is still to be committed; NULL = the night is over

-- ---------------------------------------------------------------------------------------------------- strength

-- What the strength of one row is computed from, beside the row itself (memory/rules/census.py).

CREATE FUNCTION recalls_of(whose text, what text)
RETURNS TABLE (count bigint, accessed_at timestamptz, value double precision, gradient double precision)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(a.count, 0), a.last_at, coalesce(a.value, 0), coalesce(a.gradient, 1)
    FROM (SELECT) one LEFT JOIN accesses a ON a.user_id = whose AND a.id = what
$$;

CREATE FUNCTION fact_standing(f fact_versions, types text[])
RETURNS TABLE (since timestamptz, preference boolean, evergreen boolean, count bigint, accessed_at timestamptz,
               value double precision, gradient double precision)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(f.updated_at, f.system_from), f.kind = 'preference' AND f.valid_to IS NULL,
           EXISTS (SELECT FROM entities e WHERE e.user_id = f.user_id AND e.entity_id IN (f.subject_id, f.object_id)
                   AND e.type = ANY (types) AND NOT e.is_owner), r.*
    FROM recalls_of(f.user_id, f.fact_id) r
$$;
