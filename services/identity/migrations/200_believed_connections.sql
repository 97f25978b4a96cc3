-- How far a connection is believed beside its people (docs/decisions/023, path 3, and 031): whether it links an existing account by the
-- address alone, and which values of `acr` count as the organization's second factor. Both are off at first.
ALTER TABLE connections ADD COLUMN link_on_proven_domain boolean NOT NULL DEFAULT false;
ALTER TABLE connections ADD COLUMN trusted_acr text[] NOT NULL DEFAULT '{}';
ALTER TABLE connections ADD CONSTRAINT connections_trusted_acr_check CHECK (cardinality(trusted_acr) <= 20);
-- `domain`: without the person's word.
ALTER TABLE connection_links DROP CONSTRAINT connection_links_made_by_check;
ALTER TABLE connection_links ADD CONSTRAINT connection_links_made_by_check CHECK (made_by IN ('first-sign-in', 'word', 'domain'));

-- Who was linked by a connection, beside the subjects of migration 171: a person who has ended their link is asked before the next one.
INSERT INTO connection_subjects (digest, connection_id)
SELECT sha256(convert_to(m.provider || ' person ' || m.user_id, 'UTF8')), l.connection_id
FROM connection_links AS l JOIN authentication_methods AS m ON m.id = l.authentication_method_id
ON CONFLICT DO NOTHING;
