import { afterAll, describe, expect, test } from '@jest/globals';
import { createEnvelope } from '@tessera/kernel/guard';
import { newId } from '@tessera/kernel/ids';
import { createDatabase } from '@tessera/kernel/postgres';
import { createTokenVerifier } from '@tessera/kernel/tokens';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { createVerifier, TokenRefused } from '../../../packages/verifier/src/index.ts';
import { lifetimesOf, readKeysConfig } from './config.ts';
import { systemScope } from './domain/signing-scope.ts';
import { openPrivateKey } from './signing/key-pair.ts';
import { type ActiveSigningKey, createKeyring } from './signing/keyring.ts';
import { appUrl, startTestStack } from './testing/service.ts';

/** Simulated time: everything that is asked for the time is asked here. */
const clock = { ms: Date.parse('2026-06-01T00:00:00Z') };
const minute = 60_000;
const day = 1440 * minute;

const stack = await startTestStack({ clock: () => new Date(clock.ms) });
const admin = await stack.database.connect();
afterAll(() => stack.stop());

/** A verifier outside: it reads the JWKS over HTTP and keeps it as long as allowed. */
function outsideVerifier(issuer: string, cacheSeconds: number) {
  const throughHttp: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const sent = Object.fromEntries(new Headers(init?.headers));
    const { status, text, headers } = await stack.request('GET', pathname, { headers: sent });
    return new Response(status === 304 ? null : text, { status, headers });
  };
  // jose measures its cooldown by the real clock, which stands still here.
  const options = { audience: appUrl, fetch: throughHttp, cooldownSeconds: 0, nowMs: () => clock.ms, longestMaxAgeSeconds: cacheSeconds };
  return createVerifier({ issuers: [issuer], ...options });
}

/** Our own services: keys over gRPC, kept for the default five minutes. */
function insideVerifier() {
  const { keys } = stack.client();
  const revocations = { isRevoked: () => false, fresh: true };
  const verifier = createTokenVerifier({ appUrl, findKey: (kid) => keys.getVerificationKey({ kid }), revocations, clock: () => clock.ms });
  return { verify: verifier.verify, close: () => keys.close() };
}

/** What a thief would have taken from memory before a key was rotated. */
async function stealKey(kid: string): Promise<ActiveSigningKey> {
  const envelope = createEnvelope([Buffer.from(stack.environment.KEYS_ENCRYPTION_KEY, 'base64')]);
  const { rows } = await admin.query('SELECT private_key, encryption_key_id FROM keys.signing_keys WHERE kid = $1', [kid]);
  const sealed = { sealed: rows[0].private_key, encryptionKeyId: rows[0].encryption_key_id };
  return { kid, privateKey: await openPrivateKey(kid, sealed, envelope), isSuspended: false };
}

async function published(path: string) {
  const { json } = await stack.request('GET', path);
  return (json['keys'] as unknown as { kid: string }[]).map(({ kid }) => kid);
}

describe('a project’s key from its first day to its last, under constant traffic', () => {
  test('no verifier with a cache of 0, 5 or 60 minutes refuses a valid token, and none accepts a retired key [spec:tokens.4 spec:tokens.5]', async () => {
    const { scope, token, roleId, issuer, jwksPath, userId } = await stack.project();
    const body = { scope, name: 'traffic', roleId };
    const { data } = await stack.request('POST', '/api/api-keys', { token, body });
    const credentials = { clientId: data['clientId'], clientSecret: data['clientSecret'], scope };
    const inside = insideVerifier();
    const caches = [0, 300, 3600].map((seconds) => outsideVerifier(issuer, seconds));
    const everybody = [...caches, inside];
    // Read before the first key: the worst that a cache can hold on the first day.
    for (const verifier of caches) await expect(verifier.verify(await forged(issuer))).rejects.toThrow(TokenRefused);

    let alive: { text: string; exp: number }[] = [];
    const kids: string[] = [];
    let verified = 0;
    /** What the owner of a stolen key tries every minute. */
    let thief: (() => Promise<void>) | undefined;
    const walk = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed += 1) {
        const exchanged = await stack.request('POST', '/api/auth/token', { body: credentials });
        expect(exchanged.status).toStrictEqualFor(exchanged.text, 200);
        const text = String(exchanged.data['accessToken']);
        const kid = String(decodeProtectedHeader(text).kid);
        if (kids.at(-1) !== kid) kids.push(kid);
        alive = [...alive, { text, exp: Number(decodeJwt(text).exp) }].filter(({ exp }) => exp * 1000 > clock.ms);
        for (const verifier of everybody)
          for (const token of [alive.at(0), alive.at(alive.length >> 1), alive.at(-1)]) {
            expect((await verifier.verify(token?.text ?? '')).sub).toBe(userId);
            verified += 1;
          }
        if (thief !== undefined) await thief();
        clock.ms += minute;
      }
    };
    const rotate = async () => {
      const fresh = await stack.session(userId);
      expect((await stack.request('POST', '/api/signing-keys/rotate', { token: fresh, body: { scope } })).status).toBe(201);
    };

    await walk(90);
    const stolen = await stealKey(kids[0] ?? '');
    await rotate();
    // 15 minutes of tokens and 60 of caches, and a few seconds for what was being signed.
    const retiresAt = clock.ms + 75 * minute + 30_000;
    const seen = { believed: 0, refused: 0 };
    thief = async () => {
      const now = Math.floor(clock.ms / 1000);
      const header = { alg: 'RS256', typ: 'JWT', kid: stolen.kid };
      const claims = { ...decodeJwt(alive.at(-1)?.text ?? ''), iat: now, exp: now + 900 };
      const text = await new SignJWT(claims).setProtectedHeader(header).sign(stolen.privateKey);
      // Published for exactly so long.
      expect((await published(jwksPath)).includes(stolen.kid)).toBe(clock.ms < retiresAt);
      for (const [place, verifier] of everybody.entries()) {
        const cacheMs = [0, 5 * minute, 60 * minute, 0][place] ?? 0;
        const outcome = await Promise.resolve(verifier.verify(text)).then(
          () => 'believed' as const,
          () => 'refused' as const,
        );
        // Until it retires, a key is a key: else this would prove nothing. From then on for as long
        // as a cache holds, and no minute more.
        if (clock.ms < retiresAt) expect(outcome).toStrictEqualFor(`verifier ${place}`, 'believed');
        if (clock.ms >= retiresAt + cacheMs) expect(outcome).toStrictEqualFor(`verifier ${place}`, 'refused');
        seen[outcome] += 1;
      }
    };
    await walk(70);
    await rotate();
    await walk(70);
    expect(kids).toHaveLength(3);
    expect(verified > 2500 && seen.believed > 4 * 74 && seen.refused > 100).toStrictEqualFor({ verified, ...seen }, true);
    inside.close();
  });
});

async function forged(issuer: string): Promise<string> {
  const now = Math.floor(clock.ms / 1000);
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: newId() })).toString('base64url');
  return `${header}.${Buffer.from(JSON.stringify({ iss: issuer, iat: now, exp: now + 60 })).toString('base64url')}.AAAA`;
}

describe('the system’s key', () => {
  test('a rotation of the system’s key refuses no token at verifiers with caches of 0, 5 and 60 minutes', async () => {
    const inside = insideVerifier();
    const everybody = [...[0, 300, 3600].map((seconds) => outsideVerifier(appUrl, seconds)), inside];
    const userId = newId();
    const kids = new Set<string>();
    let alive: string[] = [];
    for (let passed = 0; passed < 150; passed += 1) {
      if (passed === 70) await rotateSystem();
      alive = [...alive, await stack.session(userId)].slice(-14);
      kids.add(String(decodeProtectedHeader(alive.at(-1) ?? '').kid));
      for (const verifier of everybody)
        for (const token of [alive.at(0), alive.at(-1)]) expect((await verifier.verify(token ?? '')).sub).toBe(userId);
      clock.ms += minute;
    }
    expect(kids.size).toBe(2);
    inside.close();
  });

  test('a rotated system key stays in the JWKS for the refresh lifetime and seven days, and not a minute longer [spec:key-states.3 spec:constants.3]', async () => {
    const path = '/.well-known/jwks.json';
    const [first = '', second = ''] = await published(path);
    const rotatedAt = clock.ms;
    await rotateSystem();
    clock.ms += 10_000;
    expect((await published(path)).slice(0, 1)).toStrictEqual([second]);
    clock.ms = rotatedAt + 37 * day - minute;
    expect(await published(path)).toContain(first);
    clock.ms = rotatedAt + 37 * day;
    expect(await published(path)).not.toContain(first);
  });
});

async function rotateSystem(): Promise<void> {
  const config = readKeysConfig(stack.environment);
  const envelope = createEnvelope(config.KEYS_ENCRYPTION_KEY);
  const db = createDatabase({ url: config.DATABASE_URL, schema: 'keys', rlsEnabled: false });
  const now = new Date(clock.ms);
  const options = { db, envelope, lifetimes: lifetimesOf(config), clock: () => now, appUrl };
  const keyring = createKeyring({ ...options, scopeExists: async () => true, onChange: () => undefined });
  const prepared = await keyring.prepare(systemScope);
  await db.transaction((tx) => keyring.rotate(tx, systemScope, prepared, { cause: 'schedule', now, isCompromised: false }));
  await db.close();
}
