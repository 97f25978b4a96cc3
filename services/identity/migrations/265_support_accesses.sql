-- Support access (docs/decisions/038): a supporter acts as a person of an organization that uses the supporter's project, as far as the organization allows.
CREATE TABLE support_consents (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- `<owner>:<project>`: whose supporters may begin without asking.
  project_scope_id text NOT NULL,
  may_write boolean NOT NULL,
  may_export boolean NOT NULL,
  given_by uuid NOT NULL,
  given_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  CONSTRAINT support_consents_pair UNIQUE (organization_id, project_scope_id)
);

CREATE TABLE support_accesses (
  -- Also the id of its tokens: who revokes it ends them all.
  id uuid PRIMARY KEY,
  supporter_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  project_scope_id text NOT NULL,
  reason text NOT NULL CONSTRAINT support_accesses_reason_check CHECK (octet_length(reason) <= 2000),
  minutes integer NOT NULL CONSTRAINT support_accesses_minutes_check CHECK (minutes BETWEEN 15 AND 240),
  status text NOT NULL CONSTRAINT support_accesses_status_check CHECK (status IN ('requested', 'allowed', 'active', 'refused', 'ended')),
  requested_at timestamptz NOT NULL,
  -- Who said yes or no, and by which standing consent, if by one.
  decided_by uuid,
  decided_at timestamptz,
  consent_id uuid,
  may_write boolean NOT NULL,
  may_export boolean NOT NULL,
  -- The supporter's: no other session gets a token, and its end ends the access.
  session_id uuid,
  started_at timestamptz,
  -- When it lapses or ends by itself.
  ends_at timestamptz NOT NULL,
  ended_at timestamptz,
  ended_by text,
  -- When the end was told by mail.
  told_at timestamptz
);
CREATE UNIQUE INDEX support_accesses_open ON support_accesses (supporter_id, user_id, organization_id)
  WHERE status IN ('requested', 'allowed', 'active');
CREATE INDEX support_accesses_user ON support_accesses (user_id, requested_at);
CREATE INDEX support_accesses_organization ON support_accesses (organization_id, requested_at);
CREATE INDEX support_accesses_project ON support_accesses (project_scope_id, requested_at);
CREATE INDEX support_accesses_session ON support_accesses (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX support_accesses_ends ON support_accesses (ends_at) WHERE status IN ('requested', 'allowed', 'active');
