-- Moments: since when else the same words say that a fact is so (decision 0040). UTC epoch seconds, as the journal has
-- them, in order, all before `holds_from` or, without that, `at`.

ALTER TABLE evidence ADD COLUMN earlier double precision[] NOT NULL DEFAULT '{}';

-- What the journal has ever written of a row in its revision was told by its words, unless the fact began later since.
CREATE TEMPORARY TABLE told ON COMMIT DROP AS
SELECT DISTINCT j.user_id, side ->> 'fact_id' AS fact_id, side ->> 'source_id' AS source_id,
       (side ->> 'segment_key')::bigint AS segment_key, (side ->> 'revision')::integer AS revision,
       coalesce((side ->> 'holds_from')::double precision, (side ->> 'at')::double precision) AS moment
FROM journal j CROSS JOIN LATERAL jsonb_array_elements(j.changes) c
CROSS JOIN LATERAL (SELECT c -> 'after' AS side) s
WHERE c ->> 'noun' = 'evidence' AND jsonb_typeof(side) = 'object';

UPDATE evidence v SET earlier = known.moments
FROM (SELECT t.user_id, t.fact_id, t.source_id, t.segment_key, array_agg(t.moment ORDER BY t.moment) AS moments
      FROM told t
      JOIN evidence e USING (user_id, fact_id, source_id, segment_key, revision)
      JOIN fact_versions f ON f.user_id = t.user_id AND f.fact_id = t.fact_id AND f.system_to IS NULL
      WHERE t.moment < extract(epoch FROM coalesce(e.holds_from, e.at))::double precision
        AND t.moment >= extract(epoch FROM f.valid_from)::double precision
      GROUP BY t.user_id, t.fact_id, t.source_id, t.segment_key) known
WHERE (v.user_id, v.fact_id, v.source_id, v.segment_key)
    = (known.user_id, known.fact_id, known.source_id, known.segment_key);

-- Of a beginning that the journal has not in a row of its own, who alone vouches for the fact has told.
UPDATE evidence v SET earlier = extract(epoch FROM f.valid_from)::double precision || v.earlier
FROM fact_versions f
WHERE f.user_id = v.user_id AND f.fact_id = v.fact_id AND f.system_to IS NULL
  AND extract(epoch FROM f.valid_from)::double precision
      < coalesce(v.earlier[1], extract(epoch FROM coalesce(v.holds_from, v.at))::double precision)
  AND NOT EXISTS (SELECT 1 FROM evidence o WHERE o.user_id = v.user_id AND o.fact_id = v.fact_id
                  AND (o.source_id, o.segment_key) <> (v.source_id, v.segment_key));
