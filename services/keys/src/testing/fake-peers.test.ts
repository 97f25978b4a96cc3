import { afterAll } from '@jest/globals';
import { connect, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { decideBy, describeDecisionsContract } from '../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { describeRevocationsContract } from '../../../../proto/revocation/v1/testing/revocations-contract.ts';
import { describePeopleContract, describeScopesContract } from '../../../../proto/tenancy/v1/testing/tenancy-contract.ts';
import { createPeers } from './service.ts';

const secret = 'a secret that only these tests share';
const { state, services } = createPeers();
const door = await serveGrpc({ listen: '127.0.0.1:0', secret, services });
const common = { url: door.address, secret, self: 'keys', timeoutMs: 20_000 };
const tenancy = connect({ service: 'tenancy.v1.Tenancy', ...common });
const authorization = connect({ service: 'rbac.v1.Authorization', ...common });
const revocations = connect({ service: 'revocation.v1.Revocations', ...common });
afterAll(async () => {
  tenancy.close();
  authorization.close();
  revocations.close();
  await door.stop();
});

const world = {
  createPerson: async () => newId(),
  async createOrganization() {
    const [id, ownerId, accountId] = [newId(), newId(), newId()];
    for (const scope of [`organization ${id}`, `account ${accountId}`]) state.scopes.add(scope);
    for (const place of [id, accountId]) state.people.add(`${place} ${ownerId}`);
    return { id, ownerId, accountId };
  },
  async createProject(organizationId: string) {
    const scope = { tenant: 'organizationProject', id: `${organizationId}:${newId()}` };
    state.scopes.add(`${scope.tenant} ${scope.id}`);
    return scope;
  },
  join: async ({ id }: { readonly id: string }, userId: string) => void state.people.add(`${id} ${userId}`),
};

describePeopleContract(() => tenancy, world);
describeScopesContract(() => tenancy, world);

describeDecisionsContract(
  decideBy(() => authorization),
  async () => {
    const userId = newId();
    state.permissions.add(`${userId} ApiKey:Query`);
    return { userId, scope: { tenant: 'organization', id: newId() }, held: 'ApiKey:Query', missing: 'ApiKey:Create' };
  },
);

describeRevocationsContract({
  revocations: () => revocations,
  async revoke() {
    const revoked = { kind: 'jti', value: newId() };
    const until = new Date(Date.now() + 900_000).toISOString();
    state.revocations.push({ ...revoked, before: until, expiresAt: until });
    return revoked;
  },
});
