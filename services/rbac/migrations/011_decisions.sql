-- Who may do this? The holders of a role by their ids, so that a page begins where the one before ended. The former index is its beginning.
CREATE INDEX role_assignments_holders ON role_assignments (role_id, user_id);
DROP INDEX role_assignments_role;
