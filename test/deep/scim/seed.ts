/**
 * People as a first sync leaves them, without sending each: accounts by the operators' import, and
 * memberships and rows of the directory by SQL, after the pattern of one whom SCIM has made.
 */
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { personOf } from '../../support/directory.ts';
import { createPerson, dataOf, PASSWORD } from '../../support/world.ts';
import type { World } from './doors.ts';

const perRequest = 500;

/** A platform administrator, who imports people. */
export async function createOperator(world: Pick<World, 'system'>): Promise<{ import(people: readonly object[]): Promise<void> }> {
  const person = await createPerson(world.system);
  await withClient(world.system.adminDatabaseUrl, (client) =>
    client.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [person.userId]),
  );
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  const { accessToken } = dataOf(await person.client.post('/api/auth/login', credentials));
  return {
    import: async (users) => {
      const { counts } = dataOf(await person.client.post('/api/platform/users/import', { users }, accessToken));
      if (counts.created !== users.length) throw new Error(`imported: ${JSON.stringify(counts)}`);
    },
  };
}

const seedTenancy = `
  WITH pattern AS (
    SELECT d.organization_id, i.role_id, i.invited_by, i.credential_id, i.expires_at
    FROM tenancy.directory_users d JOIN tenancy.organization_invitations i ON i.id = d.invitation_id WHERE d.id = $1
  ), sent AS (
    SELECT p.user_id, p.name, p.email, p.created_at, p.updated_at, s.attributes, gen_random_uuid() AS invitation_id
    FROM unnest($2::text[], $3::jsonb[]) AS s (email, attributes) JOIN tenancy.people p ON p.email = s.email
  ), invited AS (
    INSERT INTO tenancy.organization_invitations (id, organization_id, email, name, role_id, token_hash, status, invited_by, credential_id,
      expires_at, accepted_at, accepted_by, is_mailed)
    SELECT s.invitation_id, t.organization_id, s.email, s.name, t.role_id, sha256(s.invitation_id::text::bytea), 'accepted', t.invited_by,
      t.credential_id, t.expires_at, now(), s.user_id, false FROM sent s, pattern t
  ), joined AS (
    INSERT INTO tenancy.organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at)
    SELECT t.organization_id, s.user_id, s.name, s.email, s.created_at, s.updated_at FROM sent s, pattern t
  )
  INSERT INTO tenancy.directory_users (id, organization_id, user_name, external_id, email, addresses, attributes, active, user_id, invitation_id)
  SELECT gen_random_uuid(), t.organization_id, s.email, s.attributes ->> 'externalId', s.email, ARRAY[s.email], s.attributes, true, s.user_id,
    s.invitation_id FROM sent s, pattern t RETURNING id, email`;

const seedRbac = `
  INSERT INTO rbac.role_assignments (tenant, scope_id, user_id, role_id)
  SELECT r.tenant, r.scope_id, d.user_id, r.role_id FROM tenancy.directory_users d, rbac.role_assignments r
  WHERE d.id = ANY ($2) AND r.tenant = 'organization'
    AND (r.scope_id, r.user_id) = (SELECT organization_id::text, user_id FROM tenancy.directory_users WHERE id = $1)`;

/** `patternId`: of whom SCIM has made. Returns the ids of the rows, in the order of the indexes. */
export async function seed(
  { system, domain }: Pick<World, 'system' | 'domain'>,
  operator: Awaited<ReturnType<typeof createOperator>>,
  { patternId, indexes }: { readonly patternId: string; readonly indexes: readonly number[] },
): Promise<readonly string[]> {
  const emailOf = (index: number) => `p${index}@${domain}`;
  const made: string[] = [];
  for (let at = 0; at < indexes.length; at += perRequest) {
    const portion = indexes.slice(at, at + perRequest);
    await operator.import(portion.map((index) => ({ email: emailOf(index), name: `Person ${index}`, emailVerified: true })));
    const attributes = portion.map((index) => {
      const { schemas: _, active: __, ...kept } = { schemas: [], active: true, ...personOf(emailOf(index), index) };
      return JSON.stringify(kept);
    });
    await withClient(system.adminDatabaseUrl, async (client) => {
      const arrived = async () =>
        Number((await client.query('SELECT count(*) FROM tenancy.people WHERE email = ANY ($1)', [portion.map(emailOf)])).rows[0].count);
      while ((await arrived()) < portion.length) await new Promise((resolve) => setTimeout(resolve, 20));
      await client.query('BEGIN');
      const { rows } = await client.query(seedTenancy, [patternId, portion.map(emailOf), attributes]);
      const byEmail = new Map(rows.map(({ id, email }) => [email, String(id)]));
      await client.query(seedRbac, [patternId, [...byEmail.values()]]);
      await client.query('COMMIT');
      made.push(...portion.map((index) => byEmail.get(emailOf(index)) ?? ''));
    });
  }
  await withClient(system.adminDatabaseUrl, (client) => client.query('ANALYZE'));
  return made;
}
