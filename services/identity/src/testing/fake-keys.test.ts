import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { describeKeysContract } from '../../../../proto/keys/v1/testing/keys-contract.ts';
import { describeRevocationsContract } from '../../../../proto/revocation/v1/testing/revocations-contract.ts';
import { startPeers } from './peers.ts';

const [secret, appUrl] = ['a secret that only these tests share', 'https://iam.test'];
const folder = mkdtempSync(join(tmpdir(), 'identity-peers-'));
const peers = await startPeers(folder, secret, appUrl);
const common = { url: `unix:${folder}/keys.grpc`, secret, self: 'identity', timeoutMs: 20_000 };
const keys = connect({ service: 'keys.v1.Keys', ...common });
const revocations = connect({ service: 'revocation.v1.Revocations', ...common });
afterAll(async () => {
  keys.close();
  revocations.close();
  await peers.stop();
  rmSync(folder, { recursive: true });
});

describeKeysContract({
  keys: () => keys,
  appUrl,
  createProject: async () => ({ tenant: 'organizationProject', id: `${newId()}:${newId()}` }),
});

describeRevocationsContract({
  revocations: () => revocations,
  async revoke() {
    const revoked = { kind: 'jti', value: newId() };
    const until = new Date(Date.now() + 900_000).toISOString();
    peers.revocations.push({ ...revoked, before: until, expiresAt: until });
    return revoked;
  },
});
