import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { apiKeyClaims, attacks, sessionClaims, sign, type Target } from '../test/attacks.ts';
import { KeysUnavailable, TokenRefused } from './errors.ts';
import { createVerifier, type VerifierOptions } from './verifier.ts';

const appUrl = 'https://iam.example';
const organizationId = '0190a000-0000-7000-8000-00000000000a';
const projectId = '0190a000-0000-7000-8000-00000000000b';
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

/** An issuer on the network, as far as fetch can tell. */
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

const both = { [appUrl]: [target.system], [issuer]: [target.project] };

describe('what must be believed', () => {
  it('a session of the platform', async () => {
    const claims = await verifierOn(both).verifier.verify(sign(target.system, sessionClaims(target)));
    assert.equal(claims.sub, userId);
    assert.equal(claims.type, 'session');
  });

  it('an API key’s token of the project', async () => {
    const claims = await verifierOn(both).verifier.verify(sign(target.project, { ...apiKeyClaims(target), roleId: 'role' }));
    assert.equal(claims.roleId, 'role');
  });

  it('a ProjectApp’s token, for its client id', async () => {
    const { verifier } = verifierOn(both, { audience: 'client', types: ['projectApp'] });
    const claims = await verifier.verify(sign(target.project, { ...apiKeyClaims(target), aud: 'client', type: 'projectApp', scopes: [] }));
    assert.deepEqual(claims.scopes, []);
  });

  it('a clock that is 5 seconds off, and no more', async () => {
    const { verifier, clock } = verifierOn(both);
    const token = sign(target.system, sessionClaims(target));
    clock.ms = (target.nowSeconds + 904) * 1000;
    await verifier.verify(token);
    clock.ms = (target.nowSeconds + 905) * 1000;
    await assert.rejects(verifier.verify(token), new TokenRefused('expired'));
  });
});

describe('RFC 8725 section 2: what must be refused', () => {
  it('of every clause of RFC 8725 section 2', () => {
    const clauses = new Set(attacks.map(({ clause }) => clause).filter((clause) => clause.startsWith('2.')));
    assert.deepEqual([...clauses].sort(), ['2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9']);
  });

  for (const { clause, name, forge } of attacks) {
    it(`${clause} ${name}`, async () => {
      const { verifier, network } = verifierOn(both);
      await assert.rejects(verifier.verify(forge(target)), TokenRefused);
      assert.ok(
        network.requests.every(({ url }) => url.startsWith(`${appUrl}/`)),
        'asks nobody but the issuers it was given',
      );
    });
  }

  it('a type that was not asked for', async () => {
    const { verifier } = verifierOn(both, { types: ['projectApp'] });
    await assert.rejects(verifier.verify(sign(target.system, sessionClaims(target))), new TokenRefused('type'));
  });

  it('a weak key in the issuer’s own set', async () => {
    const weak = { kid: 'weak', ...generateKeyPairSync('rsa', { modulusLength: 1024 }) };
    const { verifier } = verifierOn({ [appUrl]: [weak] });
    await assert.rejects(verifier.verify(sign(weak, sessionClaims(target))), new TokenRefused('unknown-key'));
  });

  it('what the caller says is revoked', async () => {
    const { verifier } = verifierOn(both, { isRevoked: ({ jti }) => jti === sessionClaims(target)['jti'] });
    await assert.rejects(verifier.verify(sign(target.system, sessionClaims(target))), new TokenRefused('revoked'));
  });
});

describe('the key cache', () => {
  const token = () => sign(target.system, sessionClaims(target));
  const strange = () => sign({ ...target.system, kid: 'strange' }, sessionClaims(target));

  it('reads a set once while it is fresh, for any number of callers', async () => {
    const { verifier, network } = verifierOn(both);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token())));
    assert.equal(network.requests.length, 1);
  });

  it('reads again for an unknown kid, past the caches on the way, and believes it at once', async () => {
    const sets: Record<string, Published[]> = { [appUrl]: [] };
    const { verifier, network } = verifierOn(sets);
    await assert.rejects(verifier.verify(strange()), TokenRefused);
    sets[appUrl] = [target.system];
    await verifier.verify(token());
    assert.deepEqual(
      network.requests.map(({ cacheControl }) => cacheControl),
      [null, 'no-cache'],
    );
  });

  it('asks once in the cooldown however many unknown kids come', async () => {
    const { verifier, network, clock } = verifierOn(both);
    await verifier.verify(token());
    for (let index = 0; index < 50; index++) await assert.rejects(verifier.verify(strange()), new TokenRefused('unknown-key'));
    assert.equal(network.requests.length, 2);
    clock.ms += 5000;
    await assert.rejects(verifier.verify(strange()), TokenRefused);
    assert.equal(network.requests.length, 3);
  });

  it('lives on a stale set while the issuer is down, but not for ever', async () => {
    const { verifier, network, clock } = verifierOn(both, { staleIfErrorSeconds: 600 });
    const long = sign(target.system, { ...sessionClaims(target), exp: target.nowSeconds + 10_000 });
    await verifier.verify(long);
    network.state.isDown = true;
    clock.ms += 4_000_000;
    await verifier.verify(long);
    clock.ms += 300_000;
    await assert.rejects(verifier.verify(long), KeysUnavailable);
    network.state.isDown = false;
    clock.ms += 5000;
    await verifier.verify(long);
  });

  it('forgets a key that the issuer took back', async () => {
    const sets: Record<string, readonly Published[]> = { ...both };
    const { verifier, clock } = verifierOn(sets);
    const long = sign(target.system, { ...sessionClaims(target), exp: target.nowSeconds + 10_000 });
    await verifier.verify(long);
    sets[appUrl] = [];
    clock.ms += 3_600_000;
    await assert.rejects(verifier.verify(long), new TokenRefused('unknown-key'));
  });
});

describe('what is no configuration', () => {
  const options = { issuers: [appUrl], audience: appUrl };
  for (const [name, change] of Object.entries<Partial<VerifierOptions>>({
    'no issuer': { issuers: [] },
    'no audience': { audience: [] },
    'no type': { types: [] },
    'an issuer on plain http': { issuers: ['http://iam.example'] },
    'an issuer with a query': { issuers: ['https://iam.example/?a=b'] },
    'a clock skew of a minute': { clockSkewSeconds: 60 },
  })) {
    it(name, () => assert.throws(() => createVerifier({ ...options, ...change }), TypeError));
  }
});
