-- Each time work is asked for it gets a new number, so that finishing it never takes away what was asked for meanwhile.

CREATE SEQUENCE work_asked;
ALTER TABLE work ADD COLUMN asked bigint NOT NULL DEFAULT nextval('work_asked');
ALTER SEQUENCE work_asked OWNED BY work.asked;
