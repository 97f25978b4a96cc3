import { generateKeyPairSync, sign } from 'node:crypto';
import { implement, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { environment, testSecret } from './gateway.ts';

/** A service keys with a key of the platform and one of a project, and tokens that they sign. */
export async function startKeys(cleanup: AsyncDisposableStack) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const { APP_URL } = environment;
  const [organizationId, projectId] = [newId(), newId()];
  const platform = { kid: newId(), issuer: APP_URL, scope: { tenant: 'system', id: '' } };
  const project = {
    kid: newId(),
    issuer: `${APP_URL}/org/${organizationId}/prj/${projectId}`,
    scope: { tenant: 'organizationProject', id: `${organizationId}:${projectId}` },
  };
  const unused = async (): Promise<never> => Promise.reject(new Error('the gateway does not call this'));
  const keys = implement('keys.v1.Keys', {
    listPublishedKeys: unused,
    signIdToken: unused,
    sign: unused,
    signMany: unused,
    findLiveApiKeys: unused,
    listKeySubjects: unused,
    countApiKeys: unused,
    getVerificationKey: unused,
    getVerificationKeys: async () => ({ keys: [platform, project].map((key) => ({ ...key, n, e, status: 'active' })) }),
  });
  const door = await serveGrpc({ listen: '127.0.0.1:0', secret: testSecret, services: [keys] });
  cleanup.defer(() => door.stop());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign256 = (kid: string, claims: object): string => {
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const claimsOf = (sub: string, iss: string) => {
    const now = Math.floor(Date.now() / 1_000);
    return { sub, aud: APP_URL, iss, exp: now + 900, iat: now, jti: newId() };
  };
  return {
    url: door.address,
    session: () => sign256(platform.kid, { ...claimsOf(newId(), platform.issuer), type: 'session', isVerified: true }),
    /** Of an app that acts for a person. */
    lent: (clientId: string, sub = newId()) => {
      const scope = { tenant: 'organizationProjectUser', id: `${project.scope.id}:${sub}` };
      const claims = { ...claimsOf(sub, project.issuer), aud: clientId, client_id: clientId };
      return sign256(project.kid, { ...claims, type: 'projectApp', scope, scopes: [] });
    },
    placeId: project.scope.id,
    apiKey: () => {
      const sub = newId();
      const scope = { tenant: 'organizationProjectUser', id: `${project.scope.id}:${sub}` };
      return sign256(project.kid, { ...claimsOf(sub, project.issuer), type: 'apiKey', scope });
    },
  };
}
