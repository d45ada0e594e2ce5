-- Which encoder serves: the one whose vectors questions are compared with, until another has encoded everything.

CREATE TABLE serving (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    encoder    text NOT NULL,                      -- its name, as vectors are kept under
    dimensions integer NOT NULL,
    settings   jsonb NOT NULL                      -- what it is built from
);

-- Whoever upgrades goes on with the encoder most vectors are of.
INSERT INTO serving (encoder, dimensions, settings)
SELECT encoder, CASE encoder WHEN 'hashing-64' THEN 64 ELSE 384 END,
       jsonb_build_object('kind', CASE encoder WHEN 'hashing-64' THEN 'hashing' ELSE 'minilm-int8' END)
FROM segment_vectors WHERE encoder IN ('hashing-64', 'all-MiniLM-L6-v2-int8')
GROUP BY encoder ORDER BY count(*) DESC LIMIT 1;
