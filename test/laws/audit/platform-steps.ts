/** What platform administrators do to a tenant, and the people whom they import. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { SystemStack } from '../../support/shared-stack.ts';
import { createOrganization, createPerson, createServiceAccount, type World } from '../../support/world.ts';
import type { Steps } from './step.ts';

export async function platformSteps(stack: SystemStack, database: pg.Client, vendor: World): Promise<Steps> {
  const [administrator, customer, blocked] = await Promise.all([createPerson(stack), createPerson(stack), createPerson(stack)]);
  await database.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [administrator.userId]);
  const tenant = await createOrganization(customer);
  const common = { as: administrator, scope: tenant } as const;
  const { id } = tenant;
  const ofPlatform = { as: administrator, scope: null } as const;
  await database.query(
    `INSERT INTO tenancy.tenant_restrictions (tenant_id, tenant, can_provision) VALUES ($1, 'organization', true)
     ON CONFLICT (tenant_id) DO UPDATE SET can_provision = true`,
    [vendor.organization.id],
  );
  const machine = await createServiceAccount(stack.url, vendor, 'Admin');
  const owner = () => ({ email: `${randomUUID()}@example.com` });
  return {
    suspendTenant: {
      ...common,
      input: () => ({ id, reason: 'unpaid' }),
      changes: () => [['suspensionReason', null, 'unpaid']],
    },
    resumeTenant: { ...common, input: () => ({ id }), changes: () => [['suspensionReason', 'unpaid', null]] },
    updateTenantQuotas: {
      ...common,
      input: () => ({ id, quotas: { members: 3 } }),
      changes: () => [
        [
          'quotas',
          { members: null, projects: null, apiKeys: null, requestsPerMinute: null },
          { members: 3, projects: null, apiKeys: null, requestsPerMinute: null },
        ],
      ],
    },
    createPlatformServiceAccount: {
      ...ofPlatform,
      input: () => ({ name: 'Maker' }),
      keep: 'platformAccount',
      changes: () => [['name', null, 'Maker']],
    },
    updatePlatformServiceAccount: {
      ...ofPlatform,
      input: ({ platformAccount }) => ({ id: platformAccount, name: 'Robot' }),
      changes: () => [['name', 'Maker', 'Robot']],
    },
    createPlatformServiceAccountCredential: {
      ...ofPlatform,
      input: ({ platformAccount }) => ({ id: platformAccount, type: 'secret' }),
      keep: 'platformCredential',
    },
    deletePlatformServiceAccountCredential: {
      ...ofPlatform,
      input: ({ platformAccount, platformCredential }) => ({ id: platformAccount, credentialId: platformCredential }),
    },
    deletePlatformServiceAccount: {
      ...ofPlatform,
      input: ({ platformAccount }) => ({ id: platformAccount }),
      changes: () => [['name', 'Robot', null]],
    },
    createPlatformOrganization: {
      ...ofPlatform,
      input: () => ({ name: 'Provisioned', owner: owner() }),
    },
    createCustomer: {
      as: { ...vendor.owner, userId: machine.id, token: machine.token },
      scope: vendor.organization,
      input: () => ({ id: vendor.organization.id, name: 'Bought', owner: owner(), projectId: vendor.ids['Project'], metadata: {} }),
    },
    blockUser: {
      ...ofPlatform,
      input: () => ({ id: blocked.userId, reason: 'abuse' }),
      changes: () => [['blockReason', null, 'abuse']],
    },
    unblockUser: {
      ...ofPlatform,
      input: () => ({ id: blocked.userId }),
      changes: () => [['blockReason', 'abuse', null]],
    },
    importUsers: {
      as: administrator,
      input: () => ({ users: [{ email: `${randomUUID()}@example.com`, externalId: randomUUID() }] }),
      also: ['importUsers', 'importUsers'],
    },
  };
}
