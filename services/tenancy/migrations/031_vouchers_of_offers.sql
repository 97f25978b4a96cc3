-- Who answers for an offer, and by what: the whole subject, asked again when it is accepted. NULL: an offer from before, for which its maker answers in
-- a session, or a grant that was active at once.
ALTER TABLE project_grants ADD COLUMN voucher jsonb;
