import assert from 'node:assert/strict';
import { afterAll } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import {
  describePeopleContract,
  describeScopesContract,
  describeSignInsContract,
  type ScopesUnderContract,
  type SignInsUnderContract,
} from '../../../../../proto/tenancy/v1/testing/tenancy-contract.ts';
import { call } from '../../testing/call.ts';
import { openTestService, type User } from '../../testing/service.ts';
import { tenancyService } from './tenancy.ts';

type Scope = { readonly tenant: string; readonly id: string };

const service = await openTestService();
afterAll(() => service.close());

const { handlers } = tenancyService(service.grpcDeps);
/** Each call as another service makes it. */
const tenancy = new Proxy({} as SignInsUnderContract & ScopesUnderContract, {
  get: (_, name) => (request: object) => {
    const handler = handlers[String(name)];
    assert.ok(handler, String(name));
    const deadline = new Date(Date.now() + 10_000);
    return handler(request, { caller: 'identity', requestId: newId(), traceparent: undefined, deadline });
  },
});

const owners = new Map<string, User>();
const ownerOf = (organizationId: string): User => {
  const owner = owners.get(organizationId);
  assert.ok(owner);
  return owner;
};
const partsOf = ({ id }: Scope) => id.split(':') as [organizationId: string, projectId: string];

const world = {
  createPerson: async () => (await service.register('Some Person', 'personal')).id,
  async createOrganization() {
    const { owner, organizationId } = await service.createOrganization();
    owners.set(organizationId, owner);
    return { id: organizationId, ownerId: owner.id, accountId: owner.accountId };
  },
  async createProject(organizationId: string) {
    const scope = { tenant: 'organization', id: organizationId };
    const { data } = await call(service, 'rest', 'createProject', { scope, name: 'Rocket' }, ownerOf(organizationId).token);
    return { tenant: 'organizationProject', id: `${organizationId}:${data.id}` };
  },
  join: async (scope: Scope, userId: string) => service.join({ id: userId, email: null }, scope, 'Some Person').then(() => undefined),
  async use(project: Scope, organizationId: string) {
    const [ownerOrganizationId, projectId] = partsOf(project);
    await service.query(
      `INSERT INTO project_grants (id, project_id, owner_organization_id, organization_id, status, created_by)
       VALUES ($1, $2, $3, $4, 'active', $5)`,
      [newId(), projectId, ownerOrganizationId, organizationId, ownerOf(ownerOrganizationId).id],
    );
  },
  async demand(organizationId: string, policy: { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes?: number }) {
    await service.query('UPDATE organizations SET security = $2 WHERE id = $1', [organizationId, JSON.stringify(policy)]);
  },
};

describePeopleContract(() => tenancy, world);
describeScopesContract(() => tenancy, world);
describeSignInsContract(() => tenancy, world);
