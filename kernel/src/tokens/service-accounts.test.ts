import { expect, test } from '@jest/globals';
import { newId } from '../ids/index.ts';
import { areWithin, type Claims, createRevocations, createTokenVerifier, holderTypeOf, issuerOf, isWithin, readNetwork } from './index.ts';
import { appUrl, createSigner, makeToken, now, sessionClaims } from './testing/tokens.ts';

const organization = newId();
const system = createSigner({ tenant: 'system', id: '' });
const ofProject = createSigner({ tenant: 'organizationProject', id: `${organization}:${newId()}` });
const none = { credentialId: '', generation: '', elevated: [] };
const scope = { tenant: 'organization', id: organization };

function serviceClaims(changes: Record<string, unknown> = {}) {
  const { isVerified: _, ...common } = sessionClaims({ type: 'apiKey', scope, cid: newId(), gen: newId(), ...changes });
  return common;
}

function setUp(isRevoked: (claims: Pick<Claims, 'service'>) => boolean = () => false) {
  const findKey = async (kid: string) => [system, ofProject].find((signer) => signer.kid === kid);
  return createTokenVerifier({ appUrl, findKey, revocations: { isRevoked, fresh: true }, clock: () => now });
}

test('the platform’s key signs tokens of service accounts, by their own scope', async () => {
  const { verify } = setUp();
  const claims = serviceClaims({ elevated: ['Organization:Update'], networks: ['10.0.0.0/8'] });
  const verified = await verify(makeToken(system, claims));
  expect(holderTypeOf(verified)).toBe('serviceAccount');
  expect(verified).toMatchObject({ scope, service: { credentialId: claims['cid'], generation: claims['gen'], networks: ['10.0.0.0/8'] } });
  expect(Object.isFrozen(verified.service)).toBe(true);
  for (const place of [
    { tenant: 'account', id: newId() },
    { tenant: 'platform', id: '' },
  ])
    expect((await verify(makeToken(system, serviceClaims({ scope: place })))).scope).toStrictEqual(place);
});

test('no other key signs them, and no other token has their claims', async () => {
  const { verify } = setUp();
  const sub = newId();
  const inProject = { tenant: 'organizationProjectUser', id: `${ofProject.scope.id}:${sub}` };
  const forged: Record<string, string> = {
    'signed by a project': makeToken(ofProject, serviceClaims({ iss: issuerOf(appUrl, ofProject.scope) })),
    'the platform’s key for a project': makeToken(system, serviceClaims({ sub, scope: inProject })),
    'no scope': makeToken(system, serviceClaims({ scope: undefined })),
    'a scope that is a project': makeToken(system, serviceClaims({ scope: { tenant: 'organizationProject', id: ofProject.scope.id } })),
    'an id that is no id': makeToken(system, serviceClaims({ scope: { tenant: 'organization', id: '*' } })),
    'a platform with an id': makeToken(system, serviceClaims({ scope: { tenant: 'platform', id: organization } })),
    'no credential': makeToken(system, serviceClaims({ cid: undefined })),
    'no generation': makeToken(system, serviceClaims({ gen: undefined })),
    'elevated that is no list': makeToken(system, serviceClaims({ elevated: 'Organization:Update' })),
    'networks that are no list': makeToken(system, serviceClaims({ networks: 7 })),
    'a role': makeToken(system, serviceClaims({ roleId: newId() })),
    'a level': makeToken(system, serviceClaims({ acr: 'aal2' })),
    'a session in an organization’s scope': makeToken(system, sessionClaims({ scope })),
    'an app in an organization’s scope': makeToken(system, serviceClaims({ type: 'projectApp', scopes: [] })),
    'a session with a credential': makeToken(system, sessionClaims({ cid: newId(), gen: newId() })),
    'a session with elevated operations': makeToken(system, sessionClaims({ elevated: ['Organization:Delete'] })),
    'a key of a project with elevated operations': makeToken(
      ofProject,
      serviceClaims({
        iss: issuerOf(appUrl, ofProject.scope),
        sub,
        scope: inProject,
        cid: undefined,
        gen: undefined,
        elevated: ['Organization:Delete'],
      }),
    ),
  };
  for (const [what, token] of Object.entries(forged)) {
    const refusal = await verify(token).then(
      () => `${what}: accepted`,
      (error: { kind: string }) => error.kind,
    );
    expect(refusal).toStrictEqualFor(what, 'unauthenticated');
  }
});

test('a revoked credential, and a generation that is past, end the tokens whenever they were made', async () => {
  const revocations = createRevocations({ sources: [], notices: { subscribe: () => undefined, onReconnect: () => undefined } });
  const { verify } = setUp((claims) =>
    revocations.isRevoked({ service: claims.service ?? none, jti: newId(), sub: newId(), iat: now / 1_000 }, system.kid),
  );
  for (const name of ['cid', 'gen'] as const) {
    const claims = serviceClaims();
    const token = makeToken(system, claims);
    await verify(token);
    const expiresAt = new Date(now + 900_000).toISOString();
    revocations.add({ kind: 'jti', value: String(claims[name]), before: new Date(0).toISOString(), expiresAt });
    await expect(verify(token)).rejects.toMatchObject({ kind: 'unauthenticated' });
    await verify(makeToken(system, serviceClaims()));
  }
});

test('networks are addresses or CIDR, of both families', () => {
  for (const text of ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1']) expect(readNetwork(text)).toBeDefined();
  for (const text of ['', 'localhost', '10.0.0.0/33', '2001:db8::/129', '10.0.0.0/8/8', '10.0.0.0/-1', '300.0.0.1', '0/0'])
    expect([text, readNetwork(text)]).toStrictEqual([text, undefined]);
  const networks = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'];
  const inside = ['10.255.0.1', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:1::5'];
  for (const address of inside) expect([address, isWithin(networks, address)]).toStrictEqual([address, true]);
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '', 'unknown', '10.0.0.1, 8.8.8.8'])
    expect([address, isWithin(networks, address)]).toStrictEqual([address, false]);
});

test('a network is within another of its family that is no smaller', () => {
  const outer = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'];
  for (const inner of ['10.1.0.0/16', '10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48'])
    expect([inner, areWithin(outer, [inner])]).toStrictEqual([inner, true]);
  for (const inner of ['10.0.0.0/7', '192.0.2.0/24', '11.0.0.1', '::ffff:10.0.0.0/96', '2001::/16', '::/0', 'x'])
    expect([inner, areWithin(outer, ['10.0.0.1', inner])]).toStrictEqual([inner, false]);
});
