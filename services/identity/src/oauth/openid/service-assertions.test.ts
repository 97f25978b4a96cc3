/** Tokens of service accounts by private_key_jwt and by an outer issuer (RFC 7523, RFC 8725). */
import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { type CryptoKey, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import pg from 'pg';
import { until } from '../../../../../test/support/until.ts';
import {
  githubClaims,
  gitlabClaims,
  type IssuerKey,
  kubernetesClaims,
  newIssuerKey,
  startOuterIssuer,
} from '../../testing/outer-issuer.ts';
import { appUrl, claimsOf, startIdentity } from '../../testing/service.ts';
import { serviceAccountsOf } from '../../testing/service-accounts.ts';

const [service, outer] = await Promise.all([startIdentity({ WEBHOOK_ALLOW_PRIVATE: 'true' }), startOuterIssuer()]);
afterAll(async () => {
  outer.close();
  await service.stop();
});
const { ask } = service;
const { makeWorld, post, takes, auditOf } = serviceAccountsOf(service);
const [world, attacker, rsaAttacker] = await Promise.all([makeWorld(), newIssuerKey('ES256'), newIssuerKey('RS256')]);

type Fields = Readonly<Record<string, unknown>>;
const signedType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const bearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1_000);
const hour = 3_600;

const makeCredential = async (id: string, fields: Fields) => {
  const { status, body } = await world.credential(id, fields);
  expect(status).toStrictEqualFor(body, 201);
  return body.data;
};

async function makeSigner(alg = 'ES256', fields: Fields = {}) {
  const key = await newIssuerKey(alg);
  const { id } = await world.make(fields);
  const credential = await makeCredential(id, { type: 'jwks', jwks: { keys: [key.jwk] } });
  return { id, key, credentialId: credential.id };
}

/** As a client signs it. */
function signOwn(id: string, { privateKey, jwk }: IssuerKey, changes: Fields = {}, header: Fields = {}) {
  const claims = { iss: id, sub: id, aud: appUrl, jti: newId(), iat: now(), exp: now() + 60, ...changes };
  return new SignJWT(claims).setProtectedHeader({ alg: jwk.alg ?? '', kid: jwk.kid ?? '', ...header }).sign(privateKey);
}

const sendOwn = (assertion: string, more: Readonly<Record<string, string>> = {}, ip?: string) =>
  post({ grant_type: 'client_credentials', client_assertion_type: signedType, client_assertion: assertion, ...more }, ip);
const sendOuter = (id: string, assertion: string, more: Readonly<Record<string, string>> = {}, ip?: string) =>
  post({ grant_type: bearerGrant, client_id: id, assertion, ...more }, ip);
const outcomeOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

async function makeTrusting(trust: Fields = {}, fields: Fields = {}) {
  const { id } = await world.make(fields);
  const given = { type: 'trust', issuer: outer.url, audience: appUrl, claims: { sub: 'repo:acme/api:*' }, ...trust };
  const credential = await makeCredential(id, given);
  return { id, credentialId: credential.id };
}
const github = (changes: Fields = {}) => outer.sign({ aud: appUrl, ...githubClaims(), ...changes });

const fetchFrom: client.CustomFetch = async (url, { method, headers, body }) => {
  const { pathname, search } = new URL(url);
  const answer = await ask(method, pathname + search, { headers, ...(body == null ? {} : { body: String(body) }) });
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers: { 'content-type': 'application/json' } });
};
const discovered = (id: string, authenticate: client.ClientAuth) =>
  client.discovery(new URL(appUrl), id, undefined, authenticate, {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: fetchFrom,
  });

describe('what discovery says of service accounts', () => {
  test('methods, algorithms and grants are those that the token endpoint takes', async () => {
    const { body } = await ask('GET', '/.well-known/openid-configuration');
    expect(body.grant_types_supported).toStrictEqual(expect.arrayContaining(['client_credentials', bearerGrant]));
    expect(body.token_endpoint_auth_methods_supported).toStrictEqual(
      expect.arrayContaining(['client_secret_basic', 'client_secret_post', 'private_key_jwt']),
    );
    expect(body.token_endpoint_auth_signing_alg_values_supported).toStrictEqual(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']);
    for (const alg of body.token_endpoint_auth_signing_alg_values_supported) {
      const { id, key } = await makeSigner(alg);
      expect([alg, (await sendOwn(await signOwn(id, key))).status]).toStrictEqual([alg, 200]);
    }
  });
});

describe('private_key_jwt', () => {
  test('gives openid-client a token, from discovery alone', async () => {
    const { id, key, credentialId } = await makeSigner('RS256');
    const config = await discovered(id, client.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid ?? '' }));
    const { access_token: token } = await client.clientCredentialsGrant(config);
    expect(claimsOf(token)).toMatchObject({ sub: id, cid: credentialId, type: 'apiKey', scope: world.scope, iss: appUrl });
    expect(await takes(token, world)).toBe(200);
    expect((await world.get(id)).body.data).toMatchObject({ lastUsedCredentialId: credentialId });
    expect(await auditOf(id, 'service-account.token')).toMatchObject([
      { outcome: 'ok', token_id: credentialId, detail: { grantType: 'client_credentials', credentialId } },
    ]);
  });

  const faults: Readonly<Record<string, (id: string, key: IssuerKey) => Promise<string> | string>> = {
    'of another key': (id, { jwk }) => signOwn(id, { ...attacker, jwk }),
    'of a key that its header brings along': (id) => signOwn(id, attacker, {}, { jwk: attacker.jwk }),
    'whose header says where its key is': (id, { jwk }) =>
      signOwn(id, attacker, {}, { kid: jwk.kid, jku: `${outer.url}/keys`, x5u: outer.url }),
    'with a foreign kid': (id, key) => signOwn(id, key, {}, { kid: newId() }),
    'with a path for a kid': (id, key) => signOwn(id, key, {}, { kid: '../../../../dev/null' }),
    'with SQL for a kid': (id, key) => signOwn(id, key, {}, { kid: "' OR 1=1 --" }),
    'with a critical header': (id, key) => signWithCrit(id, key),
    'for another purpose': (id, key) => signOwn(id, key, {}, { typ: 'at+jwt' }),
    unsigned: (id) => new UnsecuredJWT({ iss: id, sub: id, aud: appUrl, jti: newId(), exp: now() + 60 }).encode(),
    'with its signature cut off': async (id, key) => `${(await signOwn(id, key)).split('.').slice(0, 2).join('.')}.`,
    'changed after it was signed': async (id, key) => changed(await signOwn(id, key)),
    expired: (id, key) => signOwn(id, key, { exp: now() - hour, iat: now() - 2 * hour }),
    'good for two hours': (id, key) => signOwn(id, key, { exp: now() + 2 * hour }),
    'good for ever': (id, key) => signOwn(id, key, { exp: 1e300, iat: undefined }),
    'without an end': (id, key) => signOwn(id, key, { exp: undefined }),
    'with an end that is a text': (id, key) => signOwn(id, key, { exp: String(now() + 60) }),
    'from tomorrow': (id, key) => signOwn(id, key, { iat: now() + 24 * hour, exp: now() + 25 * hour }),
    'not good yet': (id, key) => signOwn(id, key, { nbf: now() + 600 }),
    'without an id': (id, key) => signOwn(id, key, { jti: undefined }),
    'with an empty id': (id, key) => signOwn(id, key, { jti: '' }),
    'with an endless id': (id, key) => signOwn(id, key, { jti: 'x'.repeat(513) }),
    'of another issuer': (id, key) => signOwn(id, key, { iss: newId() }),
    'of another account': (id, key) => signOwn(newId(), key, { name: id }),
    'for another audience': (id, key) => signOwn(id, key, { aud: 'https://elsewhere.example' }),
    'for the token endpoint': (id, key) => signOwn(id, key, { aud: `${appUrl}/oauth/token` }),
    'for the issuer in a list': (id, key) => signOwn(id, key, { aud: [appUrl] }),
    'for the issuer and somebody else': (id, key) => signOwn(id, key, { aud: [appUrl, 'https://elsewhere.example'] }),
    'for nobody': (id, key) => signOwn(id, key, { aud: undefined }),
    'that is none': () => 'e30.e30.',
    'that is too long': (id, key) => signOwn(id, key, { pad: 'x'.repeat(20_000) }),
    empty: () => '',
  };
  let signer: ReturnType<typeof makeSigner> | undefined;
  for (const [name, sign] of Object.entries(faults))
    test(`an assertion ${name} gets no token`, async () => {
      signer ??= makeSigner();
      const { id, key } = await signer;
      expect(outcomeOf(await sendOwn(await sign(id, key)))).toStrictEqual([401, 'invalid_client']);
    });

  test('a text that was signed with the public key as a secret gets no token', async () => {
    const { id, key } = await makeSigner('RS256');
    const publicKey = (await importJWK({ ...key.jwk, d: undefined } as never, 'RS256')) as CryptoKey;
    for (const secret of [await exportSPKI(publicKey), String(key.jwk.n), JSON.stringify(key.jwk)]) {
      const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: key.jwk.kid })).toString('base64url');
      const claims = { iss: id, sub: id, aud: appUrl, jti: newId(), exp: now() + 60 };
      const signed = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      const mac = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(outcomeOf(await sendOwn(`${signed}.${mac}`))).toStrictEqual([401, 'invalid_client']);
    }
  });

  test('works once, also of twenty uses at once', async () => {
    const { id, key } = await makeSigner();
    const assertion = await signOwn(id, key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendOwn(assertion)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, ...Array.from({ length: 19 }, () => 401)]);
    expect((await sendOwn(assertion)).status).toBe(401);
    // The ids of one account say nothing of another’s.
    const other = await makeSigner();
    const { jti } = claimsOf(assertion);
    expect((await sendOwn(await signOwn(other.id, other.key, { jti }))).status).toBe(200);
    expect((await sendOwn(await signOwn(id, key, { jti }))).status).toBe(401);
  });

  test('is sent alone', async () => {
    const { id, key } = await makeSigner();
    const tries: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['with a secret', { client_secret: 'tas_x' }],
      ['with another client_id', { client_id: newId() }],
      ['with another type', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ];
    for (const [what, more] of tries)
      expect([what, outcomeOf(await sendOwn(await signOwn(id, key), more))]).toStrictEqual([what, [400, 'invalid_request']]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${btoa(`${id}:x`)}` };
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: signedType,
      client_assertion: await signOwn(id, key),
    });
    expect(outcomeOf(await ask('POST', '/oauth/token', { headers, body: body.toString() }))).toStrictEqual([400, 'invalid_request']);
    expect((await sendOwn(await signOwn(id, key), { client_id: id })).status).toBe(200);
  });

  test('several keys may be registered, and each signs', async () => {
    const { id, key } = await makeSigner();
    const second = await newIssuerKey('RS256');
    const { id: secondId } = await makeCredential(id, { type: 'jwks', jwks: { keys: [second.jwk] } });
    for (const one of [key, second]) expect((await sendOwn(await signOwn(id, one))).status).toBe(200);
    expect((await world.remove(id, `/credentials/${secondId}`)).status).toBe(200);
    expect([(await sendOwn(await signOwn(id, second))).status, (await sendOwn(await signOwn(id, key))).status]).toStrictEqual([401, 200]);
  });

  test('is refused in the same words for an account that does not exist, and one without a key', async () => {
    const { id, key } = await makeSigner();
    const without = await world.make();
    const answers = await Promise.all([
      sendOwn(await signOwn(id, { ...attacker, jwk: key.jwk })),
      sendOwn(await signOwn(newId(), attacker)),
      sendOwn(await signOwn('x', attacker)),
      sendOwn(await signOwn(without.id, attacker)),
    ]);
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    // The organization learns why, once a minute.
    await until(async () => (await auditOf(id, 'service-account.token')).length > 0);
    expect(await auditOf(id, 'service-account.token')).toMatchObject([
      { outcome: 'refused', code: 'invalid_client', detail: { reason: 'the signature of the assertion is wrong' } },
    ]);
  });

  test('the keys may be at an address, which is asked when it has a new one', async () => {
    const key = await newIssuerKey('RS256');
    outer.published.keys = [...outer.published.keys, key.jwk];
    const { id } = await world.make();
    await makeCredential(id, { type: 'jwks', jwksUri: `${outer.url}/keys/${newId()}` });
    const before = outer.counts.keys;
    for (let time = 0; time < 3; time += 1) expect((await sendOwn(await signOwn(id, key))).status).toBe(200);
    expect(outer.counts.keys).toBe(before + 1);
  });

  async function signWithCrit(id: string, { privateKey, jwk }: IssuerKey) {
    const claims = { iss: id, sub: id, aud: appUrl, jti: newId(), exp: now() + 60 };
    const header = { alg: String(jwk.alg), kid: String(jwk.kid), crit: ['exp'], exp: 1 };
    return new SignJWT(claims).setProtectedHeader(header).sign(privateKey, { crit: { exp: true } });
  }
});

/** With another subject, under the old signature. */
function changed(assertion: string): string {
  const [head, , signature] = assertion.split('.');
  const payload = { ...claimsOf(assertion), jti: newId() };
  return [head, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
}

describe('trust in an outer issuer', () => {
  test('a job of GitHub gets a token of its account, and the log says whose it was', async () => {
    const { id, credentialId } = await makeTrusting({ claims: { sub: 'repo:acme/api:*', environment: 'prod' } });
    const answer = await sendOuter(id, await github({ environment: 'prod' }));
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    const { access_token: token } = answer.body;
    expect(claimsOf(token)).toMatchObject({ sub: id, cid: credentialId, type: 'apiKey', scope: world.scope, iss: appUrl, aud: appUrl });
    expect(await takes(token, world)).toBe(200);
    const [row] = await auditOf(id, 'service-account.token');
    expect(row).toMatchObject({ actor_type: 'serviceAccount', actor_id: id, token_id: credentialId });
    expect(row.detail).toMatchObject({ grantType: bearerGrant, issuer: outer.url, assertedSubject: githubClaims().sub, credentialId });
    expect((await world.get(id)).body.data.credentials).toMatchObject([
      { type: 'trust', issuer: outer.url, audience: appUrl, claims: { environment: 'prod' }, lastUsedAt: expect.any(String) },
    ]);
  });

  test('so do a job of GitLab, and a pod of Kubernetes whose audience is a list', async () => {
    const gitlab = await makeTrusting({ claims: { project_path: 'acme/tools/api', ref_protected: 'true' } });
    expect((await sendOuter(gitlab.id, await outer.sign({ aud: appUrl, ...gitlabClaims() }))).status).toBe(200);
    const pod = await makeTrusting({ claims: { sub: 'system:serviceaccount:prod:deployer' } });
    expect((await sendOuter(pod.id, await outer.sign(kubernetesClaims(appUrl)))).status).toBe(200);
    expect((await sendOuter(pod.id, await outer.sign(kubernetesClaims(appUrl, 'dev')))).status).toBe(400);
    // Clusters before 1.32 write no jti.
    const without = await outer.sign({ ...kubernetesClaims(appUrl), jti: undefined });
    expect([(await sendOuter(pod.id, without)).status, (await sendOuter(pod.id, without)).status]).toStrictEqual([200, 400]);
  });

  test('openid-client gets one too', async () => {
    const { id } = await makeTrusting();
    const config = await discovered(id, client.None());
    const { access_token: token } = await client.genericGrantRequest(config, bearerGrant, { assertion: await github() });
    expect(await takes(token, world)).toBe(200);
  });

  const faults: Readonly<Record<string, () => Promise<string> | string>> = {
    'of another key': () => outer.sign({ aud: appUrl, ...githubClaims() }, { by: { ...rsaAttacker, jwk: outer.key.jwk } }),
    'of a key that the issuer does not have': () => outer.sign({ aud: appUrl, ...githubClaims() }, { by: rsaAttacker }),
    'of a key that its header brings along': () =>
      outer.sign({ aud: appUrl, ...githubClaims() }, { by: rsaAttacker, header: { jwk: rsaAttacker.jwk } }),
    'of another issuer': () => github({ iss: 'https://token.actions.githubusercontent.com' }),
    'of an issuer with a slash more': () => github({ iss: `${outer.url}/` }),
    'of no issuer': () => github({ iss: undefined }),
    'of another repository': () => outer.sign({ aud: appUrl, ...githubClaims('acme/api-evil') }),
    'of another owner': () => outer.sign({ aud: appUrl, ...githubClaims('evil/api') }),
    'without a subject': () => github({ sub: undefined }),
    'with a list of subjects': () => github({ sub: [githubClaims().sub] }),
    'for somebody else': () => github({ aud: 'https://github.com/acme' }),
    'for us and somebody else': () => github({ aud: [appUrl, 'https://github.com/acme'] }),
    'for nobody': () => github({ aud: undefined }),
    expired: () => github({ iat: now() - hour, nbf: now() - hour, exp: now() - 600 }),
    'without an end': () => github({ exp: undefined }),
    'without a beginning': () => github({ iat: undefined }),
    'that lives for two hours': () => github({ iat: now() - hour, exp: now() + hour }),
    'from tomorrow': () => github({ iat: now() + 24 * hour, nbf: undefined, exp: now() + 25 * hour }),
    'not good yet': () => github({ nbf: now() + 600 }),
    'that is an access token': () => outer.sign({ aud: appUrl, ...githubClaims() }, { header: { typ: 'at+jwt' } }),
    unsigned: () =>
      new UnsecuredJWT({ iss: outer.url, aud: appUrl, iat: now(), exp: now() + 60, jti: newId(), ...githubClaims() }).encode(),
    'that is none': () => 'x',
  };
  let trusting: ReturnType<typeof makeTrusting> | undefined;
  for (const [name, sign] of Object.entries(faults))
    test(`an assertion ${name} gets no token`, async () => {
      trusting ??= makeTrusting();
      const { id } = await trusting;
      expect(outcomeOf(await sendOuter(id, await sign()))).toStrictEqual([400, 'invalid_grant']);
    });

  test('a clock that is a minute off gets one', async () => {
    const { id } = await makeTrusting();
    for (const shift of [-50, 50]) {
      const times = { iat: now() + shift, nbf: now() + shift, exp: now() + shift + 300 };
      expect([shift, (await sendOuter(id, await github(times))).status]).toStrictEqual([shift, 200]);
    }
  });

  test('an assertion works once, also of twenty uses at once and at two accounts', async () => {
    const [one, other] = [await makeTrusting(), await makeTrusting()];
    const assertion = await github();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => sendOuter(at % 2 === 0 ? one.id : other.id, assertion)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  });

  test('one that was refused for its address may still be used from an allowed one', async () => {
    const { id } = await makeTrusting({}, { allowedNetworks: ['198.51.100.0/24'] });
    const assertion = await github();
    expect(outcomeOf(await sendOuter(id, assertion))).toStrictEqual([400, 'access_denied']);
    const { status, body } = await sendOuter(id, assertion, {}, '198.51.100.7');
    expect([status, claimsOf(body.access_token)['networks']]).toStrictEqual([200, ['198.51.100.0/24']]);
  });

  test('an assertion is sent alone, with the account', async () => {
    const { id } = await makeTrusting();
    for (const more of [{ client_secret: 'tas_x' }, { client_assertion: 'x', client_assertion_type: signedType }])
      expect(outcomeOf(await sendOuter(id, await github(), more))).toStrictEqual([400, 'invalid_request']);
    expect(outcomeOf(await post({ grant_type: bearerGrant, assertion: await github() }))).toStrictEqual([400, 'invalid_request']);
    expect(outcomeOf(await post({ grant_type: bearerGrant, client_id: id }))).toStrictEqual([400, 'invalid_request']);
    const twice = `grant_type=${encodeURIComponent(bearerGrant)}&client_id=${id}&assertion=x&assertion=y`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(outcomeOf(await ask('POST', '/oauth/token', { headers, body: twice }))).toStrictEqual([400, 'invalid_request']);
  });

  test('is refused in the same words for every account, and the organization learns why', async () => {
    const { id } = await makeTrusting();
    const without = await world.make();
    const foreign = await outer.sign({ aud: appUrl, ...githubClaims('evil/api') });
    const answers = await Promise.all([id, without.id, newId(), 'x'].map((one) => sendOuter(one, foreign)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    for (let time = 0; time < 20; time += 1) await sendOuter(id, foreign);
    await until(async () => (await auditOf(id, 'service-account.token')).length > 0);
    expect(await auditOf(id, 'service-account.token')).toMatchObject([
      { outcome: 'refused', code: 'invalid_grant', detail: { reason: 'the claim sub of the assertion is not as the credential says' } },
    ]);
  });

  test('of one account gives no token of another, and the token is bound to the organization of the account', async () => {
    const stranger = await makeWorld();
    const { id } = await makeTrusting();
    const theirs = await stranger.make();
    expect((await sendOuter(theirs.id, await github())).status).toBe(400);
    const { body } = await sendOuter(id, await github());
    expect(claimsOf(body.access_token)['scope']).toStrictEqual(world.scope);
  });

  test('ends with the credential: what is under way, what was given, and what comes', async () => {
    const { id } = await world.make();
    for (let round = 0; round < 4; round += 1) {
      const trust = { type: 'trust', issuer: outer.url, audience: appUrl, claims: { sub: 'repo:acme/api:*' } };
      const credential = await makeCredential(id, trust);
      const assertions = await Promise.all(Array.from({ length: 8 }, () => github()));
      const [answers] = await Promise.all([
        Promise.all(assertions.map((assertion) => sendOuter(id, assertion))),
        world.remove(id, `/credentials/${credential.id}`),
      ]);
      for (const { body } of answers.filter(({ status }) => status === 200)) expect(await takes(body.access_token, world)).toBe(401);
      expect((await sendOuter(id, await github())).status).toBe(400);
    }
  });

  test('ends with its time, and a token never lives longer', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { id, credentialId } = await makeTrusting({ expiresAt });
    expect((await sendOuter(id, await github())).body.expires_in).toBeLessThanOrEqual(60);
    await service.database.query(sql('UPDATE service_account_credentials SET expires_at = now() WHERE id = $1'), [credentialId]);
    expect((await sendOuter(id, await github())).status).toBe(400);
  });
});

test('a token by an assertion takes six statements at most, with BEGIN and COMMIT', async () => {
  const signer = await makeSigner();
  const trusting = await makeTrusting();
  let sent = 0;
  const { bind, query } = pg.Connection.prototype;
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => void Object.assign(pg.Connection.prototype, { bind, query }));
  const counting = (send: (...call: never[]) => void) =>
    function counted(this: pg.Connection, ...call: never[]) {
      sent += 1;
      return Reflect.apply(send, this, call);
    };
  Object.assign(pg.Connection.prototype, { bind: counting(bind), query: counting(query) });
  const ways = {
    own: async () => sendOwn(await signOwn(signer.id, signer.key)),
    outer: async () => sendOuter(trusting.id, await github()),
  };
  for (const [way, send] of Object.entries(ways)) {
    const counts: number[] = [];
    // Jobs of the service send statements of their own now and then.
    for (let round = 0; round < 10; round += 1) {
      sent = 0;
      expect((await send()).status).toBe(200);
      counts.push(sent);
    }
    expect([way, Math.min(...counts) > 2, Math.min(...counts) <= 6]).toStrictEqual([way, true, true]);
  }
});
