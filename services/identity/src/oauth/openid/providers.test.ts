import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { VerificationKey } from '@tessera/proto/types/keys.v1';
import type { OauthDeps } from '../deps.ts';
import { issuerOfScope } from './issuer.ts';
import { createProviders } from './providers.ts';

const appUrl = 'https://iam.example.com';
const issuer = issuerOfScope(undefined, appUrl);
const deps = { settings: { appUrl } } as OauthDeps;

function newKey(): VerificationKey {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' });
  return { kid: newId(), issuer: issuer.url, scope: { tenant: 'system', id: '' }, n, e, status: 'active' };
}

test('keys that were read while they changed are read anew by the next request', async () => {
  const [early, answer] = [newKey(), Promise.withResolvers<{ keys: VerificationKey[] }>()];
  const answers = [answer.promise, Promise.resolve({ keys: [newKey(), early] })];
  let asked = 0;
  const providers = createProviders({
    keys: {
      listPublishedKeys: () => answers[asked++] ?? Promise.reject(new Error('asked too often')),
      signIdToken: () => Promise.reject(new Error('signs nothing')),
    },
    lifetimes: { accessTokenSeconds: 900, refreshTokenSeconds: 3_600 },
    fetch: () => Promise.reject(new Error('fetches nothing')),
  });
  const first = providers.of(issuer, deps);
  providers.forget(issuer.url);
  answer.resolve({ keys: [early] });
  const old = await first;
  const current = await providers.of(issuer, deps);
  expect(current).not.toBe(old);
  expect(await providers.of(issuer, deps)).toBe(current);
  expect(asked).toBe(2);
});
