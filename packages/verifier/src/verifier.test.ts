import { generateKeyPairSync, hash, type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { apiKeyClaims, attacks, sessionClaims, sign, type Target } from '../test/attacks.ts';
import { subjectOf } from './claims.ts';
import { KeysUnavailable, TokenRefused } from './errors.ts';
import { createVerifier, type VerifierOptions } from './verifier.ts';

const appUrl = 'https://iam.example';
const organizationId = '0190a000-0000-7000-8000-00000000000a';
const projectId = '0190a000-0000-7000-8000-00000000000b';
const customerId = '0190a000-0000-7000-8000-00000000000d';
const userId = '0190a000-0000-7000-8000-00000000000c';
const issuer = `${appUrl}/org/${organizationId}/prj/${projectId}`;

type Published = { readonly kid: string; readonly publicKey: KeyObject };

function signingKey(kid: string) {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

const target: Target = {
  appUrl,
  issuer,
  nowSeconds: 1_800_000_000,
  system: signingKey('0190a000-0000-7000-8000-000000000001'),
  project: signingKey('0190a000-0000-7000-8000-000000000002'),
  userId,
  scope: { tenant: 'organizationProjectUser', id: `${organizationId}:${projectId}:${userId}` },
};

/** A fetch function that answers like an issuer. */
function publisher(
  sets: Record<string, readonly Published[]>,
  headers: Record<string, string> = { 'cache-control': 'public, max-age=3600' },
) {
  const requests: { url: string; cacheControl: string | null }[] = [];
  const state = { isDown: false };
  const answer: typeof fetch = async (input, init) => {
    const url = String(input);
    requests.push({ url, cacheControl: new Headers(init?.headers).get('cache-control') });
    if (state.isDown) throw new TypeError('fetch failed');
    const keys = sets[url.replace('/.well-known/jwks.json', '')];
    if (keys === undefined) return new Response('', { status: 404 });
    const body = { keys: keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' })) };
    return Response.json(body, { headers });
  };
  return { fetch: answer, requests, state };
}

function verifierOn(sets: Record<string, readonly Published[]>, options: Partial<VerifierOptions> = {}) {
  const clock = { ms: target.nowSeconds * 1000 };
  const network = publisher(sets);
  const verifier = createVerifier({ issuers: [appUrl, issuer], audience: appUrl, fetch: network.fetch, nowMs: () => clock.ms, ...options });
  return { verifier, clock, network };
}

/** jose measures its cooldown by the real clock. */
const shortCooldown = { cooldownSeconds: 0.05 };
function cooldown() {
  return pause(60);
}

const both = { [appUrl]: [target.system], [issuer]: [target.project] };

describe('accepted tokens', () => {
  test('a session of the platform is accepted', async () => {
    const claims = await verifierOn(both).verifier.verify(sign(target.system, sessionClaims(target)));
    expect(claims.sub).toBe(userId);
    expect(claims.type).toBe('session');
  });

  test('the token of a project’s API key is accepted', async () => {
    const claims = await verifierOn(both).verifier.verify(sign(target.project, { ...apiKeyClaims(target), roleId: 'role' }));
    expect(claims.roleId).toBe('role');
  });

  test('the token of an organization that uses the project is accepted, with the organization', async () => {
    const scope = { ...target.scope, id: target.scope.id.replace(organizationId, customerId) };
    const token = sign(target.project, { ...apiKeyClaims(target), scope });
    const claims = await verifierOn(both).verifier.verify(token);
    expect([claims.scope?.id, claims.org_id]).toStrictEqual([`${customerId}:${projectId}:${userId}`, customerId]);
    const chosen = sign(target.project, { ...apiKeyClaims(target), scope, org_id: customerId, org_slug: 'acme' });
    expect(await verifierOn(both).verifier.verify(chosen)).toMatchObject({ org_id: customerId, org_slug: 'acme' });
    const lying = sign(target.project, { ...apiKeyClaims(target), scope, org_id: organizationId });
    await expect(verifierOn(both).verifier.verify(lying)).rejects.toMatchObject({ reason: 'scope' });
  });

  test('who acts for the person by token exchange stands in the claims, the newest first', async () => {
    const app = { ...apiKeyClaims(target), type: 'projectApp', aud: 'agent', client_id: 'agent', scopes: ['order:read'] };
    const outcome = (act: unknown, changes: object = {}) =>
      verifierOn(both, { audience: 'agent' })
        .verifier.verify(sign(target.project, { ...app, act, ...changes }))
        .then(
          ({ actors }) => actors,
          ({ reason }: TokenRefused) => reason,
        );
    const before = { sub: '1', client_id: 'shop' };
    const agent = { sub: '2', client_id: 'agent', role_id: 'role' };
    const [first, newest] = [
      { id: '1', clientId: 'shop' },
      { id: '2', clientId: 'agent', roleId: 'role' },
    ];
    expect(await outcome(undefined)).toBeUndefined();
    expect(await outcome({ ...agent, act: before })).toStrictEqual([newest, first]);
    const chain = { ...agent, act: { sub: '3', client_id: 'b', act: { sub: '4', client_id: 'c', act: before } } };
    const wrong: readonly unknown[] = [null, 'agent', [], {}, { sub: '2' }, { ...agent, act: 1 }, before, { ...agent, act: agent }, chain];
    expect(await Promise.all(wrong.map((act) => outcome(act)))).toStrictEqual(wrong.map(() => 'claims'));
    expect(await outcome(agent, { type: 'apiKey', scopes: undefined })).toBe('claims');
  });

  test('an API that serves one organization accepts tokens of that one alone', async () => {
    const scope = { ...target.scope, id: target.scope.id.replace(organizationId, customerId) };
    const tokens = [apiKeyClaims(target), { ...apiKeyClaims(target), scope }].map((claims) => sign(target.project, claims));
    const reasons = (organization: string | readonly string[]) =>
      Promise.all(
        [...tokens, sign(target.system, sessionClaims(target))].map((token) =>
          verifierOn(both, { organization })
            .verifier.verify(token)
            .then(
              () => 'accepted',
              ({ reason }: TokenRefused) => reason,
            ),
        ),
      );
    expect(await reasons(organizationId)).toStrictEqual(['accepted', 'organization', 'organization']);
    expect(await reasons([customerId])).toStrictEqual(['organization', 'accepted', 'organization']);
    expect(await reasons([organizationId, customerId])).toStrictEqual(['accepted', 'accepted', 'organization']);
    expect(() => verifierOn(both, { organization: [] })).toThrow(TypeError);
    expect(() => verifierOn(both, { organization: 'acme' })).toThrow(TypeError);
  });

  test('an account’s project has no customers', async () => {
    const account = issuer.replace('/org/', '/acc/');
    const inAccount = (parentId: string) => ({ tenant: 'accountProjectUser', id: `${parentId}:${projectId}:${userId}` });
    const verify = (parentId: string) =>
      verifierOn({ [account]: [target.project] }, { issuers: [account] }).verifier.verify(
        sign(target.project, { ...apiKeyClaims(target), iss: account, scope: inAccount(parentId) }),
      );
    expect((await verify(organizationId)).org_id).toBeUndefined();
    await expect(verify(customerId)).rejects.toMatchObject({ reason: 'scope' });
  });

  test('the token of a ProjectApp is accepted for its client id', async () => {
    const { verifier } = verifierOn(both, { audience: 'client', types: ['projectApp'] });
    const claims = await verifier.verify(sign(target.project, { ...apiKeyClaims(target), aud: 'client', type: 'projectApp', scopes: [] }));
    expect(claims.scopes).toStrictEqual([]);
  });

  test('the token for one API of a project is refused by all others, also by those that accept its app', async () => {
    const [own, other] = ['https://orders.example/mcp', 'https://invoices.example'];
    const claims = { ...apiKeyClaims(target), type: 'projectApp', client_id: 'client', scopes: [] };
    const outcome = (audience: string | readonly string[], aud: string | readonly string[], resource?: string) =>
      verifierOn(both, { audience })
        .verifier.verify(sign(target.project, { ...claims, aud }), resource === undefined ? {} : { resource })
        .then(
          () => 'accepted',
          ({ reason }: TokenRefused) => reason,
        );
    const outcomes = {
      'another API’s, at one that accepts the app': await outcome('client', ['client', other]),
      'another API’s, at one that accepts the app and its own address': await outcome(['client', own], ['client', other]),
      'another API’s, at one that names its resource': await outcome('client', ['client', other], own),
      'another API’s, at one that names its resource and accepts both': await outcome([own, other], ['client', other], own),
      'the app’s alone, at one that names its resource': await outcome('client', 'client', own),
      'a longer address': await outcome('client', ['client', `${own}/x`], own),
      'its own, by its address': await outcome(own, ['client', own]),
      'its own, by the app and its address': await outcome(['client', own], ['client', own]),
      'its own, by the app and the resource': await outcome('client', ['client', own], own),
      'its own, in another spelling': await outcome(['client', `${other}/`], ['client', other]),
      'the app’s alone, at one that accepts the app': await outcome('client', 'client'),
    };
    const refused = Object.keys(outcomes).slice(0, 6);
    expect(outcomes).toStrictEqual(
      Object.fromEntries(Object.keys(outcomes).map((name) => [name, refused.includes(name) ? 'resource' : 'accepted'])),
    );
  });

  test('an expired token is accepted for less than 5 seconds of clock skew', async () => {
    const { verifier, clock } = verifierOn(both);
    const token = sign(target.system, sessionClaims(target));
    clock.ms = (target.nowSeconds + 904) * 1000;
    await verifier.verify(token);
    clock.ms = (target.nowSeconds + 905) * 1000;
    await expect(verifier.verify(token)).rejects.toMatchObject({ name: 'TokenRefused', reason: 'expired' });
  });
});

describe('RFC 8725 section 2: refused tokens', () => {
  test('the attacks cover every clause of RFC 8725 section 2', () => {
    const clauses = new Set(attacks.map(({ clause }) => clause).filter((clause) => clause.startsWith('2.')));
    expect([...clauses].sort()).toStrictEqual(['2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9']);
  });

  for (const { clause, name, forge } of attacks)
    test(`refuses ${name} (RFC 8725 section ${clause})`, async () => {
      const { verifier, network } = verifierOn(both);
      await expect(verifier.verify(forge(target))).rejects.toThrow(TokenRefused);
      // Requests go to the configured issuers only.
      expect(network.requests.every(({ url }) => url.startsWith(`${appUrl}/`))).toBe(true);
    });

  test('refuses a type that is not configured', async () => {
    const { verifier } = verifierOn(both, { types: ['projectApp'] });
    await expect(verifier.verify(sign(target.system, sessionClaims(target)))).rejects.toMatchObject({
      name: 'TokenRefused',
      reason: 'type',
    });
  });

  test('refuses a token signed by a key of 1024 bits in the issuer’s own set', async () => {
    const weak = { kid: 'weak', ...generateKeyPairSync('rsa', { modulusLength: 1024 }) };
    const { verifier } = verifierOn({ [appUrl]: [weak] });
    await expect(verifier.verify(sign(weak, sessionClaims(target)))).rejects.toMatchObject({ name: 'TokenRefused', reason: 'unknown-key' });
  });

  test('refuses a token that isRevoked reports', async () => {
    const { verifier } = verifierOn(both, { isRevoked: ({ jti }) => jti === sessionClaims(target)['jti'] });
    await expect(verifier.verify(sign(target.system, sessionClaims(target)))).rejects.toMatchObject({
      name: 'TokenRefused',
      reason: 'revoked',
    });
  });
});

describe('the key cache', () => {
  const token = () => sign(target.system, sessionClaims(target));
  const strange = () => sign({ ...target.system, kid: 'strange' }, sessionClaims(target));

  test('20 verifications at once request the key set once', async () => {
    const { verifier, network } = verifierOn(both);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token())));
    expect(network.requests).toHaveLength(1);
  });

  test('an unknown kid requests the key set again, past caches, and its token is accepted at once', async () => {
    const sets: Record<string, Published[]> = { [appUrl]: [] };
    const { verifier, network } = verifierOn(sets, shortCooldown);
    await expect(verifier.verify(strange())).rejects.toThrow(TokenRefused);
    await cooldown();
    sets[appUrl] = [target.system];
    await verifier.verify(token());
    expect(network.requests.map(({ cacheControl }) => cacheControl)).toStrictEqual([null, 'no-cache']);
  });

  test('any number of unknown kids make one request per cooldown', async () => {
    const { verifier, network } = verifierOn(both, { cooldownSeconds: 1 });
    await verifier.verify(token());
    const refuseFifty = () =>
      Promise.all(Array.from({ length: 50 }, () => expect(verifier.verify(strange())).rejects.toMatchObject({ reason: 'unknown-key' })));
    await refuseFifty();
    expect(network.requests).toHaveLength(1);
    await pause(1_010);
    await refuseFifty();
    await refuseFifty();
    expect(network.requests).toHaveLength(2);
  });

  test('a stale key set is used while the issuer is down, until staleIfErrorSeconds have passed', async () => {
    const { verifier, network, clock } = verifierOn(both, { staleIfErrorSeconds: 600 });
    const long = sign(target.system, { ...sessionClaims(target), exp: target.nowSeconds + 10_000 });
    await verifier.verify(long);
    network.state.isDown = true;
    clock.ms += 4_000_000;
    await verifier.verify(long);
    clock.ms += 300_000;
    await expect(verifier.verify(long)).rejects.toThrow(KeysUnavailable);
    network.state.isDown = false;
    clock.ms += 5000;
    await verifier.verify(long);
  });

  test('a key that the issuer removed is refused after max-age', async () => {
    const sets: Record<string, readonly Published[]> = { ...both };
    const { verifier, clock } = verifierOn(sets);
    const long = sign(target.system, { ...sessionClaims(target), exp: target.nowSeconds + 10_000 });
    await verifier.verify(long);
    sets[appUrl] = [];
    clock.ms += 3_600_000;
    await expect(verifier.verify(long)).rejects.toMatchObject({ name: 'TokenRefused', reason: 'unknown-key' });
  });
});

describe('createVerifier refuses', () => {
  const options = { issuers: [appUrl], audience: appUrl };
  for (const [name, change] of Object.entries<Partial<VerifierOptions>>({
    'no issuer': { issuers: [] },
    'no audience': { audience: [] },
    'no type': { types: [] },
    'an issuer on plain http': { issuers: ['http://iam.example'] },
    'an issuer with a query': { issuers: ['https://iam.example/?a=b'] },
    'a clock skew of a minute': { clockSkewSeconds: 60 },
  }))
    test(name, () => expect(() => createVerifier({ ...options, ...change })).toThrow(TypeError));
});

test('the subject of a token is the person, the key or the app, and never the person who made a key', () => {
  const keyId = '0190a000-0000-7000-8000-0000000000aa';
  expect(subjectOf({ type: 'session', sub: userId })).toStrictEqual({ type: 'user', id: userId });
  expect(subjectOf({ type: 'projectApp', sub: userId })).toStrictEqual({ type: 'user', id: userId });
  expect(subjectOf({ type: 'apiKey', sub: userId, keyId })).toStrictEqual({ type: 'apiKey', id: keyId });
  expect(subjectOf({ type: 'apiKey', sub: userId })).toStrictEqual({ type: 'app', id: userId });
});

describe('the token of a service account', () => {
  const both = { [issuer]: [target.project], [appUrl]: [target.system] };
  const scope = { tenant: 'organization', id: organizationId };
  const claims = { ...apiKeyClaims(target), iss: appUrl, scope, client_id: userId, cid: 'c', gen: 'g', elevated: ['ApiKey:Create'] };
  const reasonOf = async (changes: object, key = target.system, organization: string | undefined = organizationId) => {
    const { verifier } = verifierOn(both, organization === undefined ? {} : { organization });
    return verifier.verify(sign(key, { ...claims, ...changes })).then(
      () => 'accepted',
      ({ reason }: TokenRefused) => reason,
    );
  };

  test('says which account and organization it is', async () => {
    const { verifier } = verifierOn(both, { organization: organizationId });
    const verified = await verifier.verify(sign(target.system, { ...claims, networks: ['203.0.113.0/24'] }));
    expect(subjectOf(verified)).toStrictEqual({ type: 'serviceAccount', id: userId });
    expect(verified).toMatchObject({ org_id: organizationId, credentialId: 'c', networks: ['203.0.113.0/24'] });
    expect(verified.keyId).toBeUndefined();
  });

  test('is accepted of the organizations that the API names, and of no other', async () => {
    expect(await reasonOf({})).toBe('accepted');
    expect(await reasonOf({ scope: { tenant: 'organization', id: customerId } })).toBe('organization');
    const { verifier } = verifierOn(both);
    await expect(verifier.verify(sign(target.system, claims))).rejects.toMatchObject({ reason: 'organization' });
  });

  test('is refused when a project signed it, without a credential, of another scope or type', async () => {
    expect(await reasonOf({ iss: issuer }, target.project)).toBe('issuer');
    expect(await reasonOf({ cid: undefined })).toBe('scope');
    expect(await reasonOf({ roleId: 'role' })).toBe('scope');
    for (const tenant of ['account', 'platform']) expect(await reasonOf({ scope: { tenant, id: organizationId } })).toBe('scope');
    expect(await reasonOf({ type: 'session' })).toBe('scope');
    expect(await reasonOf({ type: 'projectApp', scopes: [] })).toBe('issuer');
    expect(await reasonOf({ scope: target.scope, iss: issuer }, target.project)).toBe('scope');
  });
});

test('two keys of one person are two subjects, and a machine app is not a key', async () => {
  const { verifier } = verifierOn({ [issuer]: [target.project] });
  const subjects = await Promise.all(
    [{ jti: 'first' }, { jti: 'second' }, { jti: 'third', client_id: 'nightly' }].map(async (changes) =>
      subjectOf(await verifier.verify(sign(target.project, { ...apiKeyClaims(target), ...changes }))),
    ),
  );
  expect(subjects).toStrictEqual([
    { type: 'apiKey', id: 'first' },
    { type: 'apiKey', id: 'second' },
    { type: 'app', id: userId },
  ]);
});

test('a DPoP proof that one replica has taken is refused by another that shares its memory, also at the same moment', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const cnf = { jkt: await calculateJwkThumbprint(jwk) };
  const token = sign(target.project, { ...apiKeyClaims(target), type: 'projectApp', client_id: appUrl, scopes: [], cnf });
  const url = 'https://orders.example/mcp';
  const makeProof = () =>
    new SignJWT({ htm: 'POST', htu: url, iat: target.nowSeconds, jti: randomUUID(), ath: hash('sha256', token, 'base64url') })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .sign(privateKey);
  const seen = new Set<string>();
  const shared = async (key: string) => seen.size < seen.add(key).size;
  const replicas = (options: Partial<VerifierOptions>) =>
    [1, 2].map(() => verifierOn({ [issuer]: [target.project] }, { types: ['projectApp'], ...options }).verifier);
  const outcomes = (options: Partial<VerifierOptions>, proof: string) =>
    Promise.all(
      replicas(options).map(({ verify }) =>
        verify(token, { dpop: { proof, method: 'POST', url } }).then(
          () => 'accepted',
          ({ reason }: TokenRefused) => reason,
        ),
      ),
    );
  expect((await outcomes({ isNewProof: shared }, await makeProof())).toSorted()).toStrictEqual(['accepted', 'proof']);
  // Each remembers its own alone: why docs say to share it.
  expect(await outcomes({}, await makeProof())).toStrictEqual(['accepted', 'accepted']);
});
