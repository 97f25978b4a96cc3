/** Invariants across all schemas of an idle system. Each query returns the violations. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const invariants: Readonly<Record<string, string>> = {
  'an organization has an Owner in rbac, or was made for one who has not come yet': `
    SELECT o.id FROM tenancy.organizations o WHERE o.deleted_at IS NULL AND NOT (
      EXISTS (SELECT FROM tenancy.provisioned_organizations p WHERE p.organization_id = o.id)
      AND NOT EXISTS (SELECT FROM tenancy.organization_users m WHERE m.organization_id = o.id)) AND NOT EXISTS (
      SELECT FROM rbac.role_assignments a JOIN rbac.roles r ON r.id = a.role_id
      WHERE a.tenant = 'organization' AND a.scope_id = o.id::text AND r.name = 'Owner' AND r.is_built_in)`,
  'an organization has its five built-in roles': `
    SELECT o.id FROM tenancy.organizations o WHERE o.deleted_at IS NULL AND 5 <> (
      SELECT count(*) FROM rbac.organization_roles p JOIN rbac.roles r ON r.id = p.role_id
      WHERE p.organization_id = o.id AND r.is_built_in AND r.deleted_at IS NULL)`,
  'a member is a person who is not deleted': `
    SELECT m.user_id FROM tenancy.organization_users m JOIN tenancy.organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
    WHERE NOT EXISTS (SELECT FROM tenancy.people p JOIN identity.users u ON u.id = p.user_id AND u.deleted_at IS NULL
                      WHERE p.user_id = m.user_id AND p.deleted_at IS NULL)`,
  'a member has a role': `
    SELECT m.user_id FROM tenancy.organization_users m JOIN tenancy.organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
    WHERE NOT EXISTS (SELECT FROM rbac.role_assignments a WHERE a.tenant = 'organization' AND a.scope_id = m.organization_id::text AND a.user_id = m.user_id)`,
  'a role in an organization is a member': `
    SELECT a.user_id FROM rbac.role_assignments a JOIN tenancy.organizations o ON o.id::text = a.scope_id AND o.deleted_at IS NULL
    WHERE a.tenant = 'organization' AND a.subject_type = 'user' AND NOT EXISTS (SELECT FROM tenancy.organization_users m WHERE m.organization_id = o.id AND m.user_id = a.user_id)`,
  'a person with a sign-in has an account, and it has its owner role': `
    SELECT u.id FROM identity.users u JOIN identity.authentication_methods s ON s.user_id = u.id
    WHERE u.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM tenancy.accounts c JOIN rbac.role_assignments a ON a.tenant = 'account' AND a.scope_id = c.id::text AND a.user_id = u.id
      WHERE c.owner_id = u.id AND c.deleted_at IS NULL)`,
  'the kept count of members is their number': `
    SELECT organization_id FROM (SELECT organization_id, change FROM tenancy.organization_user_changes
      UNION ALL SELECT organization_id, -1 FROM tenancy.organization_users) AS counted GROUP BY 1 HAVING sum(change) <> 0`,
  'identity knows of the accounts of a person what tenancy does': `
    SELECT u.id FROM identity.users u WHERE u.deleted_at IS NULL AND u.accounts IS DISTINCT FROM (
      SELECT jsonb_agg(jsonb_build_object('id', c.id, 'type', c.type, 'ownerId', c.owner_id,
        'createdAt', to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'updatedAt', to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        ORDER BY c.type DESC, c.id)
      FROM tenancy.accounts c WHERE c.owner_id = u.id AND c.deleted_at IS NULL)`,
  'an account has a person': `
    SELECT c.id FROM tenancy.accounts c WHERE c.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM identity.users u WHERE u.id = c.owner_id AND u.deleted_at IS NULL)`,
  'a signing scope has one active key and one to follow it': `
    SELECT scope_id FROM keys.signing_keys GROUP BY tenant, scope_id
    HAVING count(*) FILTER (WHERE status = 'active') <> 1 OR count(*) FILTER (WHERE status = 'next') <> 1`,
  'a key and an app have their project': `
    SELECT id FROM (
      SELECT scope_id AS id FROM keys.signing_keys WHERE tenant <> 'system' UNION ALL SELECT scope_id FROM identity.project_apps WHERE deleted_at IS NULL
      UNION ALL SELECT coalesce(organization_id, account_id) || ':' || project_id FROM keys.placed_api_keys WHERE revoked_at IS NULL AND deleted_at IS NULL
    ) held WHERE NOT EXISTS (SELECT FROM tenancy.projects p WHERE p.id::text = split_part(held.id, ':', 2) AND p.deleted_at IS NULL)`,
  'nothing remains of a deleted organization in rbac': `
    SELECT t.id FROM rbac.tenants t JOIN tenancy.organizations o ON o.id::text = t.id WHERE o.deleted_at IS NOT NULL AND t.deleted_at IS NULL`,
  'a deleted person has no account and no session': `
    SELECT u.id FROM identity.users u WHERE u.deleted_at IS NOT NULL AND (
      EXISTS (SELECT FROM tenancy.accounts c WHERE c.owner_id = u.id AND c.deleted_at IS NULL)
      OR EXISTS (SELECT FROM identity.sessions s WHERE s.user_id = u.id))`,
  'an accepted invitation is a membership, until its person leaves': `
    SELECT i.id FROM tenancy.organization_invitations i JOIN tenancy.organizations o ON o.id = i.organization_id AND o.deleted_at IS NULL
    JOIN identity.authentication_methods m ON m.provider = 'email' AND m.provider_id = i.email
    JOIN identity.users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE i.accepted_at IS NOT NULL AND NOT EXISTS (SELECT FROM rbac.departures d WHERE d.scope_id = o.id::text AND d.user_id = u.id)
    AND NOT EXISTS (SELECT FROM tenancy.organization_users t WHERE t.organization_id = o.id AND t.user_id = u.id)`,
  'every event has arrived': `
    SELECT id FROM identity.outbox WHERE delivered_at IS NULL UNION ALL SELECT id FROM tenancy.outbox WHERE delivered_at IS NULL
    UNION ALL SELECT id FROM rbac.outbox WHERE delivered_at IS NULL UNION ALL SELECT id FROM keys.outbox WHERE delivered_at IS NULL`,
};

/** The invariants that do not hold now, with their first offenders. */
export async function brokenInvariants(adminUrl: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const broken: string[] = [];
    for (const [name, query] of Object.entries(invariants)) {
      const { rows } = await client.query(query);
      if (rows.length > 0) broken.push(`${name}: ${rows.length}, ${JSON.stringify(rows.slice(0, 3))}`);
    }
    return broken;
  } finally {
    await client.end();
  }
}

/** What still does not hold after this time. Changes that were cut off finish by themselves. */
export async function settledInvariants(adminUrl: string, withinMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const broken = await brokenInvariants(adminUrl);
    if (broken.length === 0 || performance.now() > deadline) return broken;
    await sleep(200);
  }
}
