/** An identity provider that others wrote: bare oidc-provider, on a port of its own. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

export type UpstreamPerson = { readonly sub: string } & Readonly<Record<string, unknown>>;
export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

export const upstreamClient = { clientId: 'tessera', clientSecret: 'a secret of the upstream, 32 characters long' };

async function makeKeys() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' }] } };
}
/** One for all: each issuer is told apart by its address. */
const first = await makeKeys();

export async function startUpstream() {
  const people = new Map<string, UpstreamPerson>();
  const adapter = createMemory();
  let next = '';
  let provider: Provider | undefined;
  let { privateKey, jwks } = first;
  let registered: Parameters<typeof register> = [[]];
  /** What the tests answer in its place, by path. */
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  let isDown = false;
  /** What it has sent to clients. */
  const told: { readonly url: string; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const answer = answers.get(path);
    if (isDown) return void request.socket.destroy();
    if (answer !== undefined) return answer(request, response);
    if (provider === undefined) return void response.writeHead(503).end();
    if (!path.startsWith('/interaction/')) return void provider.callback()(request, response);
    return void provider.interactionFinished(request, response, { login: loginOf(next) });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  const issuer = `http://127.0.0.1:${address.port}`;

  /** With how they did it, where the person says. */
  function loginOf(accountId: string) {
    const person = people.get(accountId);
    const [acr, amr] = [person?.['acr'], person?.['amr']];
    return { accountId, ...(typeof acr === 'string' ? { acr } : {}), ...(Array.isArray(amr) ? { amr } : {}) };
  }

  /** The client is registered once its callback is known. */
  function register(callbacks: readonly string[], backchannelLogoutUrl?: string): void {
    registered = [callbacks, backchannelLogoutUrl];
    provider = new Provider(issuer, {
      clients: [
        {
          client_id: upstreamClient.clientId,
          client_secret: upstreamClient.clientSecret,
          redirect_uris: [...callbacks],
          ...(backchannelLogoutUrl === undefined
            ? {}
            : { backchannel_logout_uri: backchannelLogoutUrl, backchannel_logout_session_required: true }),
        },
      ],
      claims: { openid: ['sub', 'acr', 'amr'], email: ['email', 'email_verified'], profile: ['name', 'groups', 'department'] },
      cookies: { keys: ['a key of the tests'] },
      jwks,
      adapter,
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      async fetch(url, options) {
        told.push({ url: String(url), body: String(options?.body) });
        return new Response(null, { status: 200 });
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => people.get(id) ?? { sub: id } }),
      async loadExistingGrant({ oidc: { client, session, provider: own } }) {
        const grant = new own.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
  }

  /** It signs with another key from now on, and publishes no other. */
  async function replaceKeys(): Promise<void> {
    ({ privateKey, jwks } = await makeKeys());
    register(...registered);
  }

  /** Signs the person in there, as a new browser: the address to which it sends that back. */
  async function approve(location: URL | string, person: UpstreamPerson): Promise<URL> {
    awaits(person);
    const cookies = new Map<string, string>();
    let at = new URL(location);
    for (let steps = 0; steps < 10; steps += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const to = response.headers.get('location');
      if (to === null) throw new Error(`the upstream answered ${response.status}: ${await response.text()}`);
      at = new URL(to, at);
      if (at.origin !== issuer) return at;
    }
    throw new Error('the upstream goes round in circles');
  }

  /** A logout token as the provider itself makes it. */
  async function logoutOf(sub: string, sid: string): Promise<string> {
    const client = (await provider?.Client.find(upstreamClient.clientId)) ?? {};
    const send: unknown = Reflect.get(client, 'backchannelLogout');
    if (typeof send === 'function') await Reflect.apply(send, client, [sub, sid]);
    return new URLSearchParams(told.at(-1)?.body).get('logout_token') ?? '';
  }

  /** A token with the provider's key. */
  function sign(payload: JWTPayload, header: object = {}): Promise<string> {
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', ...header }).sign(privateKey);
  }

  /** Who signs in there next, in whatever browser. */
  function awaits(person: UpstreamPerson): void {
    people.set(person.sub, person);
    next = person.sub;
  }

  return {
    logoutOf,
    sign,
    issuer,
    register,
    replaceKeys,
    awaits,
    approve,
    answers,
    setDown: (down: boolean) => {
      isDown = down;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Nothing expires: a provider here serves one test file. */
function createMemory(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>();
  return (model) => {
    const findBy = async (field: 'uid' | 'userCode', value: string) =>
      [...rows].find(([key, row]) => key.startsWith(`${model} `) && row[field] === value)?.[1];
    return {
      upsert: async (id, row) => void rows.set(`${model} ${id}`, row),
      find: async (id) => rows.get(`${model} ${id}`),
      findByUid: (uid) => findBy('uid', uid),
      findByUserCode: (userCode) => findBy('userCode', userCode),
      consume: async (id) => void Object.assign(rows.get(`${model} ${id}`) ?? {}, { consumed: Math.floor(Date.now() / 1_000) }),
      destroy: async (id) => void rows.delete(`${model} ${id}`),
      async revokeByGrantId(grantId) {
        for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
      },
    };
  };
}
