import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { describeInboxContract } from '../../../../proto/events/v1/testing/inbox-contract.ts';
import { decideBy, describeDecisionsContract } from '../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { describeCatalogueContract } from '../../../../proto/rbac/v1/testing/catalogue-contract.ts';
import { startPeers } from './peers.ts';

const secret = 'a secret that only these tests share';
const folder = mkdtempSync(join(tmpdir(), 'identity-peers-'));
const peers = await startPeers(folder, secret, 'https://iam.test');
const common = { url: `unix:${folder}/rbac.grpc`, secret, self: 'identity', timeoutMs: 20_000 };
const authorization = connect({ service: 'rbac.v1.Authorization', ...common });
const catalogue = connect({ service: 'rbac.v1.Catalogue', ...common });
const inbox = connect({ service: 'events.v1.Inbox', ...common });
afterAll(async () => {
  for (const client of [authorization, catalogue, inbox]) client.close();
  await peers.stop();
  rmSync(folder, { recursive: true });
});

describeDecisionsContract(
  decideBy(() => authorization),
  async () => {
    peers.denied.add('ApiKey:Create');
    return { userId: newId(), scope: { tenant: 'organization', id: newId() }, held: 'ApiKey:Query', missing: 'ApiKey:Create' };
  },
);

describeCatalogueContract({
  catalogue: () => catalogue,
  async arrange() {
    const newProject = () => ({ tenant: 'organizationProject', id: `${newId()}:${newId()}` });
    const [scope, otherScope] = [newProject(), newProject()];
    const identifier = 'https://documents.example.com/api';
    peers.verdicts.set('Document:burn', 'not-found');
    peers.resourceServers.set(`${scope.id} ${identifier}`, ['Document']);
    const actor = { type: 'session', userId: newId(), tokenId: newId(), scopes: [] };
    return { actor, scope, otherScope, identifier, slug: 'Document', known: 'Document:read', unknown: 'Document:burn' };
  },
});

describeInboxContract({
  inbox: () => inbox,
  producer: 'identity',
  makeEvent: () => ({ type: 'user.updated', payloadJson: JSON.stringify({ userId: newId(), name: 'Ada', email: null, isVerified: true }) }),
});
