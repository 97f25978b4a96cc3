-- What an organization demands of sessions; rbac has a copy, and asks for it with every decision.
ALTER TABLE organizations ADD COLUMN security jsonb NOT NULL DEFAULT '{"requireSecondFactor": false, "maxSessionAgeMinutes": null}';
