-- An offer by mail goes to an address; until an Owner there takes it, it has no customer.
ALTER TABLE project_grants
  ALTER COLUMN organization_id DROP NOT NULL,
  ADD COLUMN email text,
  ADD COLUMN token_hash bytea,
  ADD COLUMN expires_at timestamptz,
  -- False when the address wants no invitation mails: the offer stands, and nothing was sent.
  ADD COLUMN is_mailed boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT project_grants_addressee_check CHECK (organization_id IS NOT NULL OR email IS NOT NULL);
CREATE UNIQUE INDEX project_grants_token ON project_grants (token_hash) WHERE token_hash IS NOT NULL;
-- One open offer for an address.
CREATE UNIQUE INDEX project_grants_address ON project_grants (project_id, email) WHERE organization_id IS NULL AND status = 'offered';

-- The answer to an offer by mail. Its row is in no scope of the customer yet, and the hash of the token names it. Of several at once, and
-- of an answer and a withdrawal, one finds it open. An offer that is declined stays without a customer: its owner learns of none.
CREATE FUNCTION answer_offer(offer uuid, hash bytea, customer uuid, is_taken boolean) RETURNS SETOF project_grants
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = tenancy, pg_temp AS $$
  UPDATE project_grants SET
    organization_id = CASE WHEN is_taken THEN customer END,
    status = CASE WHEN is_taken THEN 'active' ELSE 'declined' END,
    accepted_at = CASE WHEN is_taken THEN now() END,
    ended_at = CASE WHEN is_taken THEN NULL ELSE now() END,
    updated_at = greatest(now(), updated_at + interval '1 millisecond')
  WHERE id = offer AND token_hash = hash AND organization_id IS NULL AND status = 'offered' AND expires_at > now()
  RETURNING *
$$;
REVOKE ALL ON FUNCTION answer_offer(uuid, bytea, uuid, boolean) FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION answer_offer(uuid, bytea, uuid, boolean) TO %I', current_setting('tessera.scoped_role'));
END $$;
