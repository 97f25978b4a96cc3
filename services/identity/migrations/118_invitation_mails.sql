-- Addresses that want no invitation mails, by the SHA-256 of each: nothing else of theirs is kept here.
CREATE TABLE refused_invitations (
  address_hash bytea PRIMARY KEY,
  since timestamptz NOT NULL
);

-- Invitations to one address take turns: who sends this one, and when it was let through. NULL waits, or has no such limit.
ALTER TABLE mail_jobs ADD COLUMN sender_id uuid, ADD COLUMN released_at timestamptz;
