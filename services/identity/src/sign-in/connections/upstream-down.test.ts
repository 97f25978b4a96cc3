/** Parts of a provider that others wrote do not answer: what still works, and for how long. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createGuardedFetch } from '@tessera/kernel/guard';
import { newId } from '@tessera/kernel/ids';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { startUpstream, upstreamClient } from '../../testing/upstream.ts';
import type { DocumentStore } from '../storage/provider-documents.ts';
import { callbackOf, createOpenidConnections } from './openid-connection.ts';
import { ProviderFailure } from './provider.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const appUrl = 'http://tessera.test';
const connection = { id: newId(), clientId: upstreamClient.clientId, scopes: ['email'], roleMapping: [] };
const discovery = '/.well-known/openid-configuration';
const who = { sub: 'ada', email: 'ada@example.com', email_verified: true };

const upstream = await startUpstream();
const guarded = createGuardedFetch({ allowPrivate: true, timeoutMs: 1_000 });
afterAll(async () => {
  await upstream.stop();
  await guarded[Symbol.asyncDispose]();
});

let nowMs = Date.now();
/** What was asked of the provider by this side. */
let asked: string[] = [];
beforeEach(() => {
  upstream.answers.clear();
  upstream.setDown(false);
  upstream.register([callbackOf(appUrl, connection.id)]);
  asked = [];
});

function createStore(): DocumentStore {
  const kept = new Map<string, string>();
  return {
    find: async (kind, address) => JSON.parse(kept.get(`${kind} ${address}`) ?? 'null') ?? undefined,
    keep: async (kind, address, document) => void kept.set(`${kind} ${address}`, JSON.stringify(document)),
  };
}

/** A process: what it has read is its own, what the store keeps is shared. */
function startProcess(store = createStore()) {
  const connections = createOpenidConnections({
    fetch: (url, init) => {
      asked.push(new URL(url).pathname);
      return guarded(url, init);
    },
    allowPrivate: true,
    appUrl,
    clock: () => nowMs,
    store,
    logger: { warn: () => undefined },
  });
  const { provider, callbacks } = connections.configured({ ...connection, issuer: upstream.issuer }, upstreamClient.clientSecret);
  const leave = async () => {
    const attempt = { redirectUri: callbacks.platform, state: newOpaqueToken(), codeVerifier: newOpaqueToken() };
    const back = await upstream.approve(await provider.authorizationUrl(attempt), who);
    return () => provider.identify(back.searchParams, attempt);
  };
  return { provider, leave, signIn: async () => (await leave())() };
}

const isDown = (request: IncomingMessage, _response: ServerResponse) => void request.socket.destroy();
const countOf = (path: string) => asked.filter((one) => one === path).length;

describe('what the provider publishes cannot be read', () => {
  test('and was read within a day: sign-ins go on, and ask again once a minute', async () => {
    const { signIn } = startProcess();
    await signIn();
    for (const path of [discovery, '/jwks']) upstream.answers.set(path, isDown);
    nowMs += 2 * hourMs;
    asked = [];
    for (let times = 0; times < 3; times += 1) expect(await signIn()).toMatchObject({ providerId: 'ada' });
    expect([countOf(discovery), countOf('/jwks')]).toStrictEqual([1, 1]);
    nowMs += minuteMs;
    await signIn();
    expect([countOf(discovery), countOf('/jwks')]).toStrictEqual([2, 2]);
    nowMs += dayMs;
    await expect(signIn()).rejects.toThrow(ProviderFailure);
    upstream.answers.clear();
    expect(await signIn()).toMatchObject({ providerId: 'ada' });
  });

  test('and was read by another process: this one uses it, also when it has just begun', async () => {
    const store = createStore();
    await startProcess(store).signIn();
    for (const path of [discovery, '/jwks']) upstream.answers.set(path, isDown);
    nowMs += 2 * hourMs;
    expect(await startProcess(store).signIn()).toMatchObject({ providerId: 'ada' });
  });

  test('and never was: the failure says that it is not reached', async () => {
    const { provider, leave } = startProcess();
    const attempt = { redirectUri: callbackOf(appUrl, connection.id), state: 's', codeVerifier: newOpaqueToken() };
    upstream.setDown(true);
    await expect(provider.authorizationUrl(attempt)).rejects.toMatchObject({ name: 'ProviderFailure', why: { kind: 'unreachable' } });
    upstream.setDown(false);
    upstream.answers.set('/jwks', isDown);
    const identify = await leave();
    await expect(identify()).rejects.toMatchObject({ name: 'ProviderFailure', why: { kind: 'unreachable' } });
  });

  test('because a page for its maintenance stands there, or another provider: what was read stays', async () => {
    const { signIn } = startProcess();
    await signIn();
    for (const body of ['<h1>Back soon</h1>', '{}', JSON.stringify({ issuer: 'https://another.example' })]) {
      nowMs += 2 * hourMs;
      for (const path of [discovery, '/jwks'])
        upstream.answers.set(path, (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body));
      expect(await signIn()).toMatchObject({ providerId: 'ada' });
    }
  });

  test('while many sign in: one request for all', async () => {
    const { provider } = startProcess();
    const attempt = { redirectUri: callbackOf(appUrl, connection.id), state: 's', codeVerifier: newOpaqueToken() };
    await Promise.all(Array.from({ length: 20 }, () => provider.authorizationUrl(attempt)));
    expect(countOf(discovery)).toBe(1);
  });

  test('and the store fails, too: what this process has read is used', async () => {
    const broken = async () => {
      throw new Error('no database');
    };
    const { signIn } = startProcess({ find: broken, keep: broken });
    await signIn();
    for (const path of [discovery, '/jwks']) upstream.answers.set(path, isDown);
    nowMs += 2 * hourMs;
    expect(await signIn()).toMatchObject({ providerId: 'ada' });
  });
});

describe('the provider is down between its page and the tokens', () => {
  test('a failure, not a refusal; the next attempt signs in once it is back', async () => {
    const { leave, signIn } = startProcess();
    await signIn();
    const identify = await leave();
    upstream.setDown(true);
    await expect(identify()).rejects.toMatchObject({ name: 'ProviderFailure', why: { kind: 'unreachable' } });
    upstream.setDown(false);
    expect(await signIn()).toMatchObject({ providerId: 'ada' });
  });
});

describe('the provider has replaced its keys', () => {
  test('the unknown one has them read again, and the next sign-ins use them', async () => {
    const { signIn } = startProcess();
    await signIn();
    await upstream.replaceKeys();
    nowMs += minuteMs;
    asked = [];
    for (let times = 0; times < 3; times += 1) expect(await signIn()).toMatchObject({ providerId: 'ada' });
    expect(countOf('/jwks')).toBe(1);
  });

  test('and does not publish the new one: refused, with one request a minute however many come', async () => {
    const { signIn } = startProcess();
    await signIn();
    const published = await (await fetch(`${upstream.issuer}/jwks`)).text();
    upstream.answers.set(
      '/jwks',
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(published),
    );
    await upstream.replaceKeys();
    nowMs += minuteMs;
    asked = [];
    for (let times = 0; times < 4; times += 1) await expect(signIn()).rejects.toMatchObject({ why: { kind: 'signature' } });
    expect(countOf('/jwks')).toBe(1);
    nowMs += minuteMs;
    await expect(signIn()).rejects.toThrow(ProviderFailure);
    expect(countOf('/jwks')).toBe(2);
  });

  test('while the address of the keys is down: refused, the old key signs nobody in for it', async () => {
    const { signIn } = startProcess();
    await signIn();
    await upstream.replaceKeys();
    upstream.answers.set('/jwks', isDown);
    nowMs += minuteMs;
    await expect(signIn()).rejects.toMatchObject({ name: 'ProviderFailure', why: { kind: 'unreachable' } });
    upstream.answers.clear();
    nowMs += minuteMs;
    expect(await signIn()).toMatchObject({ providerId: 'ada' });
  });
});
