-- Members have to come by the organization's connection (docs/decisions/031). `enforced_at` changes with the people who need not.
ALTER TABLE connections ADD COLUMN is_enforced boolean NOT NULL DEFAULT false;
ALTER TABLE connections ADD COLUMN break_glass_user_ids uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE connections ADD COLUMN enforced_at timestamptz;
ALTER TABLE connections ADD CONSTRAINT connections_enforced_check CHECK (NOT is_enforced OR (status = 'active' AND enforced_at IS NOT NULL));
ALTER TABLE connections ADD CONSTRAINT connections_break_glass_check CHECK (cardinality(break_glass_user_ids) <= 5);
CREATE INDEX connections_enforced ON connections (organization_id) WHERE is_enforced;
