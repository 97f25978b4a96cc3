import { constants, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { failures } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { createKeyFinder, createTokenVerifier, type FindKey, type FindKeys, isForAnotherApi } from './index.ts';
import { appUrl, createSigner, makeMacToken, makeToken, makeUnsigned, now, type Signer, seconds, sessionClaims } from './testing/tokens.ts';

const [organization, project, otherProject] = [newId(), newId(), newId()];
const system = createSigner({ tenant: 'system', id: '' });
const ofProject = createSigner({ tenant: 'organizationProject', id: `${organization}:${project}` });
const signers = new Map<string, Signer>([system, ofProject].map((signer) => [signer.kid, signer]));

type Setup = {
  clock?: () => number;
  findKey?: FindKey;
  isRevoked?: (claims: object, kid: string, grantScope?: string) => boolean;
  fresh?: boolean;
};
function setUp({ clock = () => now, findKey = async (kid) => signers.get(kid), isRevoked = () => false, fresh = true }: Setup = {}) {
  return createTokenVerifier({ appUrl, findKey, revocations: { isRevoked, fresh }, clock });
}

function projectClaims(changes: Record<string, unknown> = {}) {
  const sub = newId();
  const scope = { tenant: 'organizationProjectUser', id: `${organization}:${project}:${sub}` };
  const { isVerified: _, ...common } = sessionClaims({
    sub,
    scope,
    iss: `${appUrl}/org/${organization}/prj/${project}`,
    type: 'apiKey',
    ...changes,
  });
  return common;
}

const refused = { kind: 'unauthenticated', key: 'errors.unauthenticated', extensions: undefined };

test('honest tokens of each type are accepted, and their claims are frozen', async () => {
  const { verify } = setUp();
  const session = await verify(makeToken(system, sessionClaims()));
  expect(session.isVerified).toBe(true);
  expect(Object.isFrozen(session)).toBe(true);
  const level = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: seconds };
  expect(await verify(makeToken(system, sessionClaims(level)))).toMatchObject(level);
  const roleId = newId();
  expect((await verify(makeToken(ofProject, projectClaims({ roleId })))).roleId).toBe(roleId);
  const app = await verify(makeToken(ofProject, projectClaims({ type: 'projectApp', aud: 'client-1', scopes: [] })));
  expect([app.aud, app.scopes]).toStrictEqual(['client-1', []]);
});

test('an app’s token names its client and one resource, and the key that its client proves', async () => {
  const { verify } = setUp();
  const resource = 'https://orders.example/mcp';
  const jkt = 'k'.repeat(43);
  const app = { type: 'projectApp', aud: ['client-1', resource], client_id: 'client-1', scopes: [], cnf: { jkt } };
  expect(await verify(makeToken(ofProject, projectClaims(app)))).toMatchObject({ aud: 'client-1', resource, keyThumbprint: jkt });
  const machine = { aud: ['client-1', resource], client_id: 'client-1', roleId: newId() };
  expect(isForAnotherApi(await verify(makeToken(ofProject, projectClaims(machine))))).toBe(true);
  for (const changes of [
    { ...app, aud: [resource, 'client-1'] },
    { ...app, aud: ['client-1'] },
    { ...app, aud: ['client-1', resource, 'https://invoices.example'] },
    { ...app, aud: ['client-1', ''] },
    { ...app, client_id: undefined },
    { ...app, cnf: {} },
    { ...app, cnf: { jkt, 'x5t#S256': jkt } },
    { ...app, cnf: { 'x5t#S256': jkt } },
    { aud: [appUrl, resource] },
  ])
    await expect(verify(makeToken(ofProject, projectClaims(changes)))).rejects.toMatchObject(refused);
});

test('a supporter’s token names the supporter and what the organization allows, and is exactly that', async () => {
  const { verify } = setUp();
  const [jti, supporterId, customer] = [newId(), newId(), newId()];
  const support = { id: jti, until: seconds + 3_600, project: `${organization}:${project}`, organization: customer };
  const claims = { jti, act: { sub: supporterId }, support };
  const { support: read, actors } = await verify(makeToken(system, sessionClaims(claims)));
  expect(read).toStrictEqual({
    id: jti,
    supporterId,
    until: support.until,
    project: { tenant: 'organizationProject', id: support.project },
    organizationId: customer,
    mayWrite: false,
    mayExport: false,
  });
  expect(actors).toBeUndefined();
  const sub = newId();
  for (const changes of [
    { act: undefined },
    { support: undefined },
    { act: { sub: 'somebody' } },
    { sub, act: { sub } },
    { act: { sub: supporterId, act: { sub: newId() } } },
    { support: { ...support, id: newId() } },
    { support: { ...support, until: seconds } },
    { support: { ...support, project: organization } },
    { support: { ...support, organization: 'x' } },
    { support: { ...support, mayWrite: 'yes' } },
    { support: { ...support, more: true } },
    { connection: newId() },
    { connection: newId(), connection_organization: customer },
    { scope: { tenant: 'organizationProjectUser', id: `${organization}:${project}:${sub}` }, sub },
  ])
    await expect(verify(makeToken(system, sessionClaims({ ...claims, ...changes })))).rejects.toMatchObject(refused);
  for (const type of ['apiKey', 'projectApp'])
    await expect(verify(makeToken(ofProject, projectClaims({ ...claims, type })))).rejects.toMatchObject(refused);
});

test('a project’s key signs for organizations that use the project, and a refusal of such a scope ends its tokens alone', async () => {
  const [sub, customer] = [newId(), newId()];
  const used = { tenant: 'organizationProjectUser', id: `${customer}:${project}:${sub}` };
  const token = makeToken(ofProject, projectClaims({ sub, scope: used }));
  const { verify } = setUp({ isRevoked: (_claims, _kid, grantScope) => grantScope === `${newId()}:${project}` });
  expect((await verify(token)).scope).toStrictEqual(used);
  const ended = setUp({ isRevoked: (_claims, _kid, grantScope) => grantScope === `${customer}:${project}` });
  await expect(ended.verify(token)).rejects.toMatchObject(refused);
  await ended.verify(makeToken(ofProject, projectClaims()));
  const ofAccount = createSigner({ tenant: 'accountProject', id: `${organization}:${project}` });
  signers.set(ofAccount.kid, ofAccount);
  const inAccount = { tenant: 'accountProjectUser', id: `${customer}:${project}:${sub}` };
  const iss = `${appUrl}/acc/${organization}/prj/${project}`;
  await expect(verify(makeToken(ofAccount, projectClaims({ sub, scope: inAccount, iss })))).rejects.toMatchObject(refused);
  for (const id of [
    `${project}:${sub}`,
    `${customer}:${project}:${project}:${sub}`,
    `:${project}:${sub}`,
    `${customer}:${otherProject}:${sub}`,
  ])
    await expect(verify(makeToken(ofProject, projectClaims({ sub, scope: { ...used, id } })))).rejects.toMatchObject(refused);
});

test('headers that are not ours are refused, however the signature was made (RFC 8725, 2.1, 2.2, 2.4, 2.5)', async () => {
  const claims = sessionClaims();
  const stranger = createSigner({ tenant: 'system', id: '' });
  const jwk = stranger.publicKey.export({ format: 'jwk' });
  const pem = system.publicKey.export({ type: 'spki', format: 'pem' });
  const honest = makeToken(system, claims);
  const [header = '', payload = '', signature = ''] = honest.split('.');
  const pss = sign('sha256', Buffer.from(`${header}.${payload}`), { key: system.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING });
  const forged: Record<string, string> = {
    'no algorithm': makeUnsigned(system.kid, claims, 'none'),
    'no algorithm, in another case': makeUnsigned(system.kid, claims, 'nOnE'),
    'no signature': makeUnsigned(system.kid, claims, 'RS256'),
    'a MAC with the public key': makeMacToken(system, claims, pem),
    'a MAC with nothing': makeMacToken(system, claims, ''),
    'another algorithm': makeToken(system, claims, { alg: 'RS512' }),
    'a MAC name on a signature': makeToken(system, claims, { alg: 'HS256' }),
    'PSS padding': `${header}.${payload}.${pss.toString('base64url')}`,
    'another type': makeToken(system, claims, { typ: 'at+jwt' }),
    'no type': makeToken(system, claims, { typ: undefined }),
    'a key of its own': makeToken({ ...stranger, kid: system.kid }, claims, { jwk }),
    'an address for its key': makeToken({ ...stranger, kid: system.kid }, claims, { jku: 'http://127.0.0.1/keys' }),
    'a certificate': makeToken(system, claims, { x5u: 'http://127.0.0.1/cert', x5c: [] }),
    'a critical extension': makeToken(system, claims, { crit: ['b64'], b64: false }),
    'a kid that is a path': makeToken(system, claims, { kid: '../../etc/passwd' }),
    'a kid that is a query': makeToken(system, claims, { kid: "' OR 1=1 --" }),
    'a kid that is no text': makeToken(system, claims, { kid: [system.kid] }),
    'no kid': makeToken(system, claims, { kid: undefined }),
    'another key under this kid': makeToken({ ...stranger, kid: system.kid }, claims),
    'an unknown kid': makeToken(stranger, claims),
    'a changed payload': `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: newId() })).toString('base64url')}.${signature}`,
    'another spelling of the signature': `${header}.${payload}.${signature}=`,
    'a fourth part': `${honest}.x`,
    'two parts': `${header}.${payload}`,
    nothing: '',
    'no JSON': `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
    'too long': makeToken(system, sessionClaims({ padding: 'x'.repeat(8192) })),
  };
  const { verify } = setUp();
  for (const [name, token] of Object.entries(forged))
    expect(await verify(token).catch((error: unknown) => error)).toStrictEqualFor(name, expect.objectContaining(refused));
  await verify(honest);
});

test('claims are compared by value (RFC 8725, 2.6 to 2.8)', async () => {
  const forged: Record<string, string> = {
    'another issuer': makeToken(system, sessionClaims({ iss: 'https://evil.test' })),
    'the issuer with a slash': makeToken(system, sessionClaims({ iss: `${appUrl}/` })),
    'a project for issuer of a session': makeToken(system, sessionClaims({ iss: `${appUrl}/org/${organization}/prj/${project}` })),
    'no issuer': makeToken(system, sessionClaims({ iss: undefined })),
    'another audience': makeToken(system, sessionClaims({ aud: 'client-1' })),
    'a list of audiences': makeToken(system, sessionClaims({ aud: [appUrl] })),
    'no audience': makeToken(system, sessionClaims({ aud: '' })),
    'expired now': makeToken(system, sessionClaims({ exp: seconds, iat: seconds - 900 })),
    'no expiry': makeToken(system, sessionClaims({ exp: undefined })),
    'an expiry in words': makeToken(system, sessionClaims({ exp: '2999999999' })),
    'issued in the future': makeToken(system, sessionClaims({ iat: seconds + 6 })),
    'no time of issue': makeToken(system, sessionClaims({ iat: null })),
    'no type': makeToken(system, sessionClaims({ type: undefined })),
    'an unknown type': makeToken(system, sessionClaims({ type: 'admin' })),
    'no subject': makeToken(system, sessionClaims({ sub: '' })),
    'a subject that is no id': makeToken(system, sessionClaims({ sub: 'admin' })),
    'no token id': makeToken(system, sessionClaims({ jti: undefined })),
    'an API key with a level': makeToken(ofProject, projectClaims({ acr: 'aal2' })),
    'an unknown level': makeToken(system, sessionClaims({ acr: 'aal3' })),
    'no verification status': makeToken(system, sessionClaims({ isVerified: undefined })),
    'a verification status in words': makeToken(system, sessionClaims({ isVerified: 'true' })),
    'a session with a cap': makeToken(system, sessionClaims({ scopes: ['a:b'] })),
    'a session with a role': makeToken(system, sessionClaims({ roleId: newId() })),
    'an API key by the system': makeToken(system, { ...projectClaims(), iss: appUrl }),
    'a session by a project': makeToken(ofProject, sessionClaims({ iss: `${appUrl}/org/${organization}/prj/${project}` })),
    'a project by the issuer of sessions': makeToken(ofProject, projectClaims({ iss: appUrl })),
    'a project app without a cap': makeToken(ofProject, projectClaims({ type: 'projectApp', aud: 'client-1' })),
    'an API key for an app': makeToken(ofProject, projectClaims({ aud: 'client-1' })),
    'no scope': makeToken(ofProject, projectClaims({ scope: undefined })),
    'a scope of another user': makeToken(ofProject, projectClaims({ sub: newId() })),
    'a payload that is a list': makeToken(system, []),
    'a key too short': makeToken(signers.get(shortKid) ?? system, sessionClaims()),
  };
  for (const tenant of ['organizationProjectUser', 'accountProjectUser', 'organizationProject', 'account']) {
    const sub = newId();
    const parent = tenant === 'organizationProjectUser' ? otherProject : project;
    forged[`a foreign scope, ${tenant}`] = makeToken(
      ofProject,
      projectClaims({ sub, scope: { tenant, id: `${organization}:${parent}:${sub}` } }),
    );
  }
  const { verify } = setUp();
  for (const [name, token] of Object.entries(forged))
    expect(await verify(token).catch((error: unknown) => error)).toStrictEqualFor(name, expect.objectContaining(refused));
  await verify(makeToken(system, sessionClaims({ iat: seconds + 5 })));
});
const short = createSigner({ tenant: 'system', id: '' }, 1024);
const shortKid = short.kid;
signers.set(shortKid, short);

test('the cache forgets nothing that can change: expiry, revocation, retired keys, silence of the sources', async () => {
  const state = { time: now, revoked: false, notAfter: undefined as string | undefined };
  const revocations = { isRevoked: () => state.revoked, fresh: true };
  const findKey: FindKey = async () => ({ ...system, notAfter: state.notAfter });
  const { verify } = createTokenVerifier({ appUrl, findKey, revocations, keyTtlSeconds: 300, clock: () => state.time });
  const token = makeToken(system, sessionClaims());
  expect(await verify(token)).toBe(await verify(token));
  state.revoked = true;
  await expect(verify(token)).rejects.toMatchObject(refused);
  state.revoked = false;
  revocations.fresh = false;
  await expect(verify(token)).rejects.toMatchObject({ kind: 'unavailable' });
  revocations.fresh = true;
  state.notAfter = new Date(now + 400_000).toISOString();
  state.time = now + 301_000;
  await verify(token);
  state.time = now + 401_000;
  await expect(verify(token)).rejects.toMatchObject(refused);
  state.notAfter = undefined;
  state.time = now + 605_000;
  await verify(token);
  state.time = now + 900_000;
  await expect(verify(token)).rejects.toMatchObject(refused);
});

test('a key is fetched once, a kid that is not there is not asked for again, and a flood of kids is few calls', async () => {
  const asked: string[] = [];
  const findKey: FindKey = async (kid) => {
    asked.push(kid);
    const found = signers.get(kid);
    if (found === undefined) throw failures.notFound('SigningKey');
    return found;
  };
  const { verify } = setUp({ findKey });
  await Promise.all(Array.from({ length: 20 }, () => verify(makeToken(system, sessionClaims()))));
  expect(asked).toHaveLength(1);
  const unknown = makeToken({ ...system, kid: newId() }, sessionClaims());
  for (let n = 0; n < 5; n += 1) await expect(verify(unknown)).rejects.toMatchObject(refused);
  expect(asked).toHaveLength(2);
  let calls = 0;
  const findKeys: FindKeys = async (kids) => {
    calls += 1;
    return kids.flatMap((kid) => signers.get(kid) ?? []);
  };
  const flooded = setUp({ findKey: createKeyFinder(findKeys) });
  const flood = Array.from({ length: 300 }, () => flooded.verify(makeToken({ ...system, kid: newId() }, sessionClaims())));
  const unseen = flooded.verify(makeToken(ofProject, projectClaims()));
  const outcomes = await Promise.allSettled(flood);
  expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason.kind === 'unauthenticated')).toBe(true);
  await unseen;
  expect(calls <= 3).toStrictEqualFor(`${calls} calls`, true);
});

test('while keys is down, known keys serve on and unknown ones are unavailable, not refused', async () => {
  const state = { time: now, down: false };
  const findKey: FindKey = async (kid) => {
    if (state.down) throw failures.unavailable('keys');
    return signers.get(kid);
  };
  const { verify } = setUp({ findKey, clock: () => state.time });
  await verify(makeToken(system, sessionClaims()));
  state.down = true;
  state.time += 301_000;
  await verify(makeToken(system, sessionClaims()));
  await expect(verify(makeToken(ofProject, projectClaims()))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a failed look-up of a key refuses no token, and the next look-up is sent at once', async () => {
  const state = { time: now, isBroken: false };
  const findKey: FindKey = async (kid) => {
    if (state.isBroken) throw new Error('the connection was terminated');
    return signers.get(kid);
  };
  const { verify } = setUp({ findKey, clock: () => state.time });
  await verify(makeToken(system, sessionClaims()));
  state.isBroken = true;
  state.time += 301_000;
  await verify(makeToken(system, sessionClaims()));
  const ofNewKey = makeToken(ofProject, projectClaims());
  await expect(verify(ofNewKey)).rejects.toMatchObject({ kind: 'unavailable' });
  state.isBroken = false;
  await verify(ofNewKey);
});
