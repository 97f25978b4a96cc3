import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { decideBy, describeDecisionsContract } from '../../../../proto/rbac/v1/testing/authorization-contract.ts';
import { startPeers } from './peers.ts';

const secret = 'a secret that only these tests share';
const folder = mkdtempSync(join(tmpdir(), 'identity-peers-'));
const peers = await startPeers(folder, secret, 'https://iam.test');
const common = { url: `unix:${folder}/rbac.grpc`, secret, self: 'identity', timeoutMs: 20_000 };
const authorization = connect({ service: 'rbac.v1.Authorization', ...common });
afterAll(async () => {
  authorization.close();
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
