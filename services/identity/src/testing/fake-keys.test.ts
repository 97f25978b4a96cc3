import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { describeKeysContract } from '../../../../proto/keys/v1/testing/keys-contract.ts';
import { startPeers } from './peers.ts';

const [secret, appUrl] = ['a secret that only these tests share', 'https://iam.test'];
const folder = mkdtempSync(join(tmpdir(), 'identity-peers-'));
const peers = await startPeers(folder, secret, appUrl);
const keys = connect({ service: 'keys.v1.Keys', url: `unix:${folder}/keys.grpc`, secret, self: 'identity', timeoutMs: 20_000 });
afterAll(async () => {
  keys.close();
  await peers.stop();
  rmSync(folder, { recursive: true });
});

describeKeysContract({
  keys: () => keys,
  appUrl,
  createProject: async () => ({ tenant: 'organizationProject', id: `${newId()}:${newId()}` }),
});
