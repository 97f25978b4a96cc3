-- The device grant (RFC 8628). The browser that entered a user code first is the only one that may answer for it.
-- A device that asks too often waits longer: the time of its last question, and its interval.
ALTER TABLE openid_artifacts
  ADD COLUMN browser text,
  ADD COLUMN polled_at timestamptz,
  ADD COLUMN poll_seconds integer;
