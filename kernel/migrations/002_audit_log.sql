CREATE TABLE audit_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  at timestamptz NOT NULL DEFAULT now(),
  operation text NOT NULL,
  action text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  code text,
  actor_id uuid,
  actor_type text,
  token_id text,
  scope_tenant text,
  scope_id text,
  target_type text,
  target_id text,
  ip_address text,
  user_agent text,
  request_id text,
  detail jsonb
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_actor ON audit_log (actor_id, at);
CREATE INDEX audit_log_scope ON audit_log (scope_tenant, scope_id, at);
