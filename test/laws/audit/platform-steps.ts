/** What platform administrators do to a tenant, and the people whom they import. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { SystemStack } from '../../support/shared-stack.ts';
import { createOrganization, createPerson } from '../../support/world.ts';
import type { Steps } from './step.ts';

export async function platformSteps(stack: SystemStack, database: pg.Client): Promise<Steps> {
  const [administrator, customer] = await Promise.all([createPerson(stack), createPerson(stack)]);
  await database.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [administrator.userId]);
  const tenant = await createOrganization(customer);
  const common = { as: administrator, scope: tenant } as const;
  const { id } = tenant;
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
    importUsers: {
      as: administrator,
      input: () => ({ users: [{ email: `${randomUUID()}@example.com`, externalId: randomUUID() }] }),
      also: ['importUsers', 'importUsers'],
    },
  };
}
