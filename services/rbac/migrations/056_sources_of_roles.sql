-- Who gave a role: a person (null), or an identity provider (`connection:<id>`), which takes what it does not say any more (docs/decisions/031).
ALTER TABLE role_assignments ADD COLUMN source text CHECK (octet_length(source) <= 100);
