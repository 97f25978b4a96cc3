import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { describePeopleContract, describeSignInsContract } from '../../../../proto/tenancy/v1/testing/tenancy-contract.ts';
import { startPeers } from './peers.ts';

type Scope = { readonly tenant: string; readonly id: string };

const secret = 'a secret that only these tests share';
const folder = mkdtempSync(join(tmpdir(), 'identity-peers-'));
const peers = await startPeers(folder, secret, 'https://iam.test');
const tenancy = connect({ service: 'tenancy.v1.Tenancy', url: `unix:${folder}/tenancy.grpc`, secret, self: 'identity', timeoutMs: 20_000 });
afterAll(async () => {
  tenancy.close();
  await peers.stop();
  rmSync(folder, { recursive: true });
});

const enter = (id: string, userId: string) => void peers.people.set(id, new Set([...(peers.people.get(id) ?? []), userId]));
const world = {
  createPerson: async () => newId(),
  async createOrganization() {
    const [id, ownerId, accountId] = [newId(), newId(), newId()];
    peers.accounts.push({ id: accountId, type: 'organization', ownerId, createdAt: '', updatedAt: '' });
    enter(id, ownerId);
    return { id, ownerId, accountId };
  },
  createProject: async (organizationId: string) => ({ tenant: 'organizationProject', id: `${organizationId}:${newId()}` }),
  join: async ({ id }: Scope, userId: string) => enter(id, userId),
  use: async ({ id }: Scope, organizationId: string) =>
    void peers.customers.set(id, [...(peers.customers.get(id) ?? []), { organizationId, name: 'Acme', slug: `acme-${organizationId}` }]),
  demand: async (organizationId: string, policy: { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes?: number }) =>
    void peers.sessionPolicies.set(organizationId, policy),
};

describePeopleContract(() => tenancy, world);
describeSignInsContract(() => tenancy, world);
