-- Domains that organizations claim and prove by a record in their DNS (docs/decisions/023).
CREATE TABLE domains (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- ASCII, lower case, without a dot at the end.
  domain text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CONSTRAINT domains_status_check CHECK (status IN ('pending', 'verified', 'failing', 'lost')),
  -- What the TXT record must say.
  challenge text NOT NULL,
  verified_at timestamptz,
  -- When the record was seen last.
  seen_at timestamptz,
  -- Since when it is absent.
  failing_since timestamptz,
  checked_at timestamptz,
  -- Why the last check did not succeed.
  problem text CONSTRAINT domains_problem_check CHECK (problem IN ('record_missing', 'record_differs', 'dns_failed', 'claimed_elsewhere')),
  -- The last mail to the Owners since the record was seen.
  told text CONSTRAINT domains_told_check CHECK (told IN ('failing', 'reminded', 'lost')),
  -- When the daily check took it last.
  asked_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT domains_claim UNIQUE (organization_id, domain)
);
-- At most one organization has a domain.
CREATE UNIQUE INDEX domains_proven ON domains (domain) WHERE status IN ('verified', 'failing');
CREATE INDEX domains_due ON domains (asked_at) WHERE status IN ('verified', 'failing');
CREATE INDEX domains_untold ON domains (failing_since) WHERE status = 'failing' OR (status = 'lost' AND told IS DISTINCT FROM 'lost');
SELECT isolate_pivot('domains');

-- True when the domain is the organization's now. False when another one has it: its row is not visible here, so the index tells.
CREATE FUNCTION prove_domain(claim uuid, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE domains SET status = 'verified', verified_at = at, seen_at = at, checked_at = at, failing_since = NULL, problem = NULL, told = NULL,
    asked_at = at, updated_at = greatest(at, updated_at + interval '1 millisecond')
  WHERE id = claim;
  RETURN FOUND;
EXCEPTION WHEN unique_violation THEN
  RETURN false;
END $$;
