-- An invented memory as large as asked for, two years old: sessions of fifteen segments, three mentions and three facts an
-- entity. One mention of ten is of one of the first hundredth of the entities, which have storylines therefore. Ages,
-- confidences and types are spread by remainders and hashes, so that every run makes the same.
-- The facts about everybody but the owner have predicates, and a hundredth of the owner's: a night is proved by questions.
-- Parameters: user_id, entities, now (epoch seconds). `night_words` (noun, n, id) has the content ids of names and statements
-- as the product gives them: what a night changes is written anew by these. The words are short, and a thousand directions
-- are shared out as vectors; the night reads none of either. Without vectors the worker would encode all facts beside it.

INSERT INTO users (user_id, version, profile, created_at)
VALUES (%(user_id)s, 0, '{"name": "Maya"}', to_timestamp(%(now)s) - interval '1 hour');
-- A night to come that counts as over: none is due, or the scheduler would run them beside those that are measured.
INSERT INTO nights (user_id, night, at, report)
SELECT %(user_id)s, at::date, at, '{}' FROM (SELECT to_timestamp(%(now)s) + interval '30 days' AS at) later;
INSERT INTO readers VALUES ('user:' || %(user_id)s::text, %(user_id)s) ON CONFLICT DO NOTHING;
INSERT INTO scopes (scope, position) VALUES ('user:' || %(user_id)s::text, 1)
ON CONFLICT (scope) DO UPDATE SET position = scopes.position + 1;
DELETE FROM removals WHERE scope = 'user:' || %(user_id)s::text;

INSERT INTO sources (scope, source_id, session_id, kind, started_at)
SELECT 'user:' || %(user_id)s::text, 's' || n, 's' || n, 'conversation',
       to_timestamp(%(now)s) - make_interval(secs => 730 * 86400.0 * ((n * 7919) %% 10007) / 10007)
FROM generate_series(1, greatest(3, 3 * %(entities)s::int / 15)) n;

INSERT INTO content (scope, content_id, owner, words)
SELECT 'user:' || %(user_id)s::text, n, 'segment:' || n,
       CASE WHEN n %% 2 = 1 THEN 'Entity ' || 1 + n %% %(entities)s::int || ' ' ELSE '' END || 'word ' || n
FROM generate_series(1, 3 * %(entities)s::int) n;

INSERT INTO segments (scope, segment_key, source_id, segment_id, speaker, role, content_id, at, ord, start_s, end_s, position)
SELECT s.scope, n, s.source_id, n::text, 'Maya', 'user', n, s.started_at + make_interval(secs => n %% 15), n, n %% 15,
       n %% 15 + 1, (SELECT position FROM scopes WHERE scope = s.scope)
FROM generate_series(1, 3 * %(entities)s::int) n
JOIN sources s ON s.scope = 'user:' || %(user_id)s::text
     AND s.source_id = 's' || 1 + n %% greatest(3, 3 * %(entities)s::int / 15);

INSERT INTO content (scope, content_id, owner, words)
SELECT 'user:' || %(user_id)s::text, w.id, 'e-' || lpad(to_hex(w.n), 16, '0'), 'Entity ' || w.n
FROM night_words w WHERE w.noun = 'entity';

INSERT INTO entities (user_id, entity_id, type, name, name_key, confidence, tier, state, ttl_policy, sensitivity, is_owner,
                      created_at)
SELECT %(user_id)s, 'e-' || lpad(to_hex(n), 16, '0'),
       (ARRAY['person', 'topic', 'emotion', 'event', 'place', 'decision', 'habit', 'topic', 'organization', 'tool'])
           [1 + n %% 10],
       w.id, decode(lpad(to_hex(n), 16, '0'), 'hex'), 0.5 + (n %% 50) / 100.0, 'L0', 'candidate', 'decay', 0, n = 1,
       to_timestamp(%(now)s) - interval '730 days'
FROM night_words w WHERE w.noun = 'entity';

INSERT INTO mentions (user_id, entity_id, segment_key, source_id, at, quote, confidence)
SELECT %(user_id)s, 'e-' || lpad(to_hex(1 + CASE WHEN n %% 10 = 0
           THEN abs(hashint4(n)::bigint) %% greatest(1, %(entities)s::int / 100)
           ELSE (n * 31::bigint) %% %(entities)s::int END), 16, '0'),
       n, g.source_id, g.at, n, 0.9
FROM generate_series(1, 3 * %(entities)s::int) n JOIN segments g ON g.segment_key = n;

INSERT INTO content (scope, content_id, owner, words)
SELECT 'user:' || %(user_id)s::text, w.id, 'f-' || lpad(to_hex(w.n), 16, '0'), 'Fact ' || w.n
FROM night_words w WHERE w.noun = 'fact';

INSERT INTO fact_versions (user_id, fact_id, version, subject_id, statement, object_id, polarity, kind, importance,
                           confidence, stability, status, state, protected, judged_by, sensitivity, valid_from, valid_to,
                           system_from, predicate)
SELECT %(user_id)s, 'f-' || lpad(to_hex(n), 16, '0'), 1,
       'e-' || lpad(to_hex(CASE WHEN n %% 2 = 0 THEN 1 ELSE 1 + n %% %(entities)s::int END), 16, '0'), w.id,
       CASE WHEN n %% 3 = 0 THEN 'e-' || lpad(to_hex(1 + (n * 17::bigint) %% %(entities)s::int), 16, '0') END, true,
       CASE WHEN n %% 8 = 0 THEN 'preference' ELSE 'factual' END, 1 + n %% 10, 0.4 + (n %% 60) / 100.0, 1,
       CASE WHEN n %% 20 = 0 THEN 'superseded' WHEN n %% 33 = 0 THEN 'invalidated' ELSE 'active' END, 'candidate',
       n %% 100 = 0, 'rules', 0, g.at, CASE WHEN n %% 20 = 0 THEN g.at + interval '9 days' END, g.at,
       CASE WHEN n %% 2 = 1 OR n %% 200 = 0
            THEN (ARRAY['likes', 'knows', 'owns', 'lives_in', 'works_at', 'prefers'])[1 + (n / 2) %% 6] END
FROM night_words w JOIN segments g ON g.segment_key = w.n WHERE w.noun = 'fact';

INSERT INTO fact_vectors (user_id, fact_id, encoder, vector)
SELECT %(user_id)s, 'f-' || lpad(to_hex(n), 16, '0'), s.encoder, d.vector
FROM serving s
CROSS JOIN LATERAL (
    SELECT k, l2_normalize(array_agg(sin(k * 12.9898 + i * 78.233 + k * i) ORDER BY i)::vector) AS vector
    FROM generate_series(0, 999) k, generate_series(1, s.dimensions) i GROUP BY k) d
JOIN generate_series(1, 3 * %(entities)s::int) n ON n %% 1000 = d.k;

INSERT INTO evidence (user_id, fact_id, source_id, segment_key, quote, at, revision)
SELECT %(user_id)s, 'f-' || lpad(to_hex(n), 16, '0'), g.source_id, n, n, g.at, 1
FROM generate_series(1, 3 * %(entities)s::int) n JOIN segments g ON g.segment_key = n;

INSERT INTO accesses (user_id, id, count, last_at, value)
SELECT %(user_id)s, 'f-' || lpad(to_hex(n), 16, '0'), 1 + n %% 14,
       to_timestamp(%(now)s) - make_interval(days => (n %% 300)::int), 0.6
FROM generate_series(1, 3 * %(entities)s::int, 10) n;
