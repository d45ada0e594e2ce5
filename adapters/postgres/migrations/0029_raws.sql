-- What segments came as, where that is not their words: the JSON of a message, a mail with its headers, a paragraph of
-- Markdown (decision 0092). It is kept beside the cleaned words, searched by nothing, and gone with its segment, whichever
-- way that goes.

CREATE TABLE raws (
    scope       text NOT NULL,
    segment_key bigint NOT NULL,
    words       text NOT NULL,
    PRIMARY KEY (scope, segment_key),
    FOREIGN KEY (scope, segment_key) REFERENCES segments (scope, segment_key) ON DELETE CASCADE
);
SELECT wall_by_scope('raws');
