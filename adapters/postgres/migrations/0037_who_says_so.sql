-- A link says who found it: rules, or the language model that proposed it.

ALTER TABLE links ADD COLUMN judged_by text NOT NULL DEFAULT 'rules';
