-- Lists and figures of large memories: when each entity was heard of, in one pass. What a list is sorted by and strength is
-- made of needs no more; in how many sources and sessions takes two passes more, and is asked for those shown.

-- As seen_entities_known, without sessions and sources: of these entities, or of all.
CREATE FUNCTION seen_spans(whose text, in_scopes text[], up_to integer, known timestamptz, as_of timestamptz, ids text[])
RETURNS TABLE (entity_id text, first_seen timestamptz, last_seen timestamptz, mention_count bigint) LANGUAGE sql STABLE AS $$
    WITH heard AS (
        SELECT m.entity_id, min(m.at) AS first_seen, max(m.at) AS last_seen, count(*) AS mentions
        FROM seen_mentions_known(whose, in_scopes, up_to, known) m
        WHERE (as_of IS NULL OR m.at <= as_of) AND (ids IS NULL OR m.entity_id = ANY (ids))
        GROUP BY m.entity_id)
    SELECT h.entity_id, h.first_seen, h.last_seen, h.mentions FROM heard h
    UNION ALL
    SELECT b.entity_id, b.created_at, b.created_at, 0
    FROM (SELECT e.entity_id, e.created_at FROM entities_known(whose, known) e
          WHERE e.merged_into IS NULL AND e.sensitivity <= up_to AND (as_of IS NULL OR e.created_at <= as_of)
            AND (ids IS NULL OR e.entity_id = ANY (ids))
            AND NOT EXISTS (SELECT 1 FROM heard h WHERE h.entity_id = e.entity_id)
          OFFSET 0) b  -- OFFSET 0: the journal is asked of those alone that nobody mentions
    WHERE born_of_command(whose, b.created_at)
$$;
