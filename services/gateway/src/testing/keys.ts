import { generateKeyPairSync, sign } from 'node:crypto';
import { implement, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import type { Claims } from '@tessera/kernel/tokens';
import { environment, testSecret } from './gateway.ts';

/** A service keys with one key of the platform, and tokens that are signed with it. */
export async function startKeys(cleanup: AsyncDisposableStack) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const [kid, issuer] = [newId(), environment.APP_URL];
  const unused = async (): Promise<never> => Promise.reject(new Error('the gateway does not call this'));
  const keys = implement('keys.v1.Keys', {
    ...{ sign: unused, signMany: unused, findLiveApiKeys: unused, getVerificationKey: unused },
    getVerificationKeys: async () => ({ keys: [{ kid, issuer, scope: { tenant: 'system', id: '' }, n, e, status: 'active' }] }),
  });
  const door = await serveGrpc({ listen: '127.0.0.1:0', secret: testSecret, services: [keys] });
  cleanup.defer(() => door.stop());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenOf = (changes: Partial<Claims> = {}): string => {
    const now = Math.floor(Date.now() / 1_000);
    const own = { sub: newId(), aud: issuer, iss: issuer, exp: now + 900, iat: now, jti: newId(), type: 'session', isVerified: true };
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode({ ...own, ...changes })}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  return { url: door.address, tokenOf };
}
