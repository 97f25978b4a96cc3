-- What an organization's provider said of a person at the last sign-in, without the profile: for the preview of a role mapping (docs/decisions/041). Of a
-- connection the last fifty, for thirty days.
CREATE TABLE connection_sign_ins (
  authentication_method_id uuid PRIMARY KEY REFERENCES authentication_methods (id) ON DELETE CASCADE,
  connection_id uuid NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  signed_in_at timestamptz NOT NULL,
  -- A list of claims: name, values, and whether some were left out.
  claims jsonb NOT NULL,
  CONSTRAINT connection_sign_ins_claims_check CHECK (jsonb_typeof(claims) = 'array' AND octet_length(claims::text) <= 4096)
);
CREATE INDEX connection_sign_ins_connection ON connection_sign_ins (connection_id, signed_in_at);
CREATE INDEX connection_sign_ins_signed_in ON connection_sign_ins (signed_in_at);
