/** A small, strict code-hosting provider: PKCE S256, one-time codes, `iss` (RFC 9207), userinfo. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { consentPage } from './consent-page.ts';

export type FakeUser = {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly email: string | null;
  readonly verified: boolean;
};
export type FakeProviderOptions = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly host?: string;
  readonly port?: number;
};
export type FakeProvider = Awaited<ReturnType<typeof startFakeProvider>>;

/** Known to a stack that signs people in with it. */
export const fakeCredentials = { clientId: 'tessera', clientSecret: 'known to both' };

/** What identity is told of it. */
export function providerVariables(url: string): Readonly<Record<string, string>> {
  return {
    CODEHOST_CLIENT_ID: fakeCredentials.clientId,
    CODEHOST_CLIENT_SECRET: fakeCredentials.clientSecret,
    CODEHOST_AUTHORIZE_URL: `${url}/authorize`,
    CODEHOST_TOKEN_URL: `${url}/token`,
    CODEHOST_API_URL: `${url}/api`,
  };
}

type Grant = {
  readonly user: FakeUser;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly isOpenid: boolean;
  /** Asked for the time of the sign-in, or for a new one. */
  readonly maxAge: number | undefined;
  readonly isLogin: boolean;
};
/** Its own session of the person. One that ignores the prompt approves in silence. */
type OwnSession = { readonly secondsAgo: number; readonly ignoresPrompt?: boolean };
type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
function problem(error: string): Answer {
  return json(400, { error });
}

export async function startFakeProvider({ clientId, clientSecret, host = '127.0.0.1', port = 0 }: FakeProviderOptions) {
  const grants = new Map<string, Grant>();
  const sessions = new Map<string, FakeUser>();
  const tokens: string[] = [];
  let failure: number | undefined;
  let idTokenSubject: string | undefined;
  let ownSession: OwnSession | undefined;
  let url = '';

  /** The faults that an authorization request can have; none is ever answered with a redirect. */
  function faultOf(query: URLSearchParams): string | undefined {
    if (query.get('client_id') !== clientId) return 'unknown client_id';
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!URL.canParse(redirectUri) || !new URL(redirectUri).pathname.startsWith('/api/auth/')) return 'redirect_uri is not below /api/auth';
    if (query.get('response_type') !== 'code') return 'response_type must be code';
    if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(query.get('code_challenge') ?? ''))
      return 'PKCE S256 is required';
    return (query.get('state') ?? '').length < 43 ? 'state must be 256 bits' : undefined;
  }

  function back(query: URLSearchParams, answer: Readonly<Record<string, string>>): string {
    const address = new URL(query.get('redirect_uri') ?? '');
    for (const [name, value] of Object.entries({ ...answer, state: query.get('state') ?? '', iss: url }))
      address.searchParams.set(name, value);
    return address.href;
  }

  function approve(query: URLSearchParams, user: FakeUser): string {
    const fault = faultOf(query);
    if (fault !== undefined) throw new Error(fault);
    const code = randomBytes(16).toString('hex');
    grants.set(code, {
      user,
      redirectUri: query.get('redirect_uri') ?? '',
      challenge: query.get('code_challenge') ?? '',
      isOpenid: /\bopenid\b/.test(query.get('scope') ?? ''),
      maxAge: query.has('max_age') ? Number(query.get('max_age')) : undefined,
      isLogin: query.get('prompt') === 'login',
    });
    return back(query, { code });
  }

  /** RFC 6749 4.1.3: all checks come first, and a presented code is spent. */
  function exchange(form: URLSearchParams, authorization: string | undefined): Answer {
    if (failure !== undefined) return json(failure, { error: 'server_error' });
    const [givenId, givenSecret] = basicCredentials(authorization) ?? [form.get('client_id'), form.get('client_secret')];
    const isClient = givenId === clientId && givenSecret === clientSecret;
    if (!isClient) return json(401, { error: 'invalid_client' });
    if (form.get('grant_type') !== 'authorization_code') return problem('unsupported_grant_type');
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    if (grant === undefined || grant.redirectUri !== form.get('redirect_uri')) return problem('invalid_grant');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== grant.challenge) return problem('invalid_grant');
    const token = `fake_${randomBytes(24).toString('hex')}`;
    sessions.set(token, grant.user);
    tokens.push(token);
    const idToken = grant.isOpenid ? { id_token: idTokenOf(String(grant.user.id), grant) } : {};
    return json(200, { access_token: token, token_type: 'bearer', scope: 'read:user user:email', ...idToken });
  }

  /** Not really signed: a client of the token endpoint need not check it (OpenID Core 3.1.3.7). */
  function idTokenOf(sub: string, grant: Grant): string {
    const now = Math.floor(Date.now() / 1_000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: url, aud: clientId, sub: idTokenSubject ?? sub, iat: now, exp: now + 300, ...authTimeOf(grant, now) };
    return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.c2lnbmF0dXJl`;
  }

  /** OpenID Connect Core 3.1.2.1: with max_age the ID token says when the person signed in. */
  function authTimeOf({ maxAge, isLogin }: Grant, now: number): { readonly auth_time?: number } {
    if (ownSession === undefined || maxAge === undefined) return {};
    const { secondsAgo, ignoresPrompt = false } = ownSession;
    const signsInAgain = !ignoresPrompt && (isLogin || secondsAgo > maxAge);
    return { auth_time: signsInAgain ? now : now - secondsAgo };
  }

  function api(path: string, authorization: string | undefined): Answer {
    if (failure !== undefined) return json(failure, { message: 'broken' });
    const user = sessions.get(authorization?.replace(/^Bearer /i, '') ?? '');
    if (user === undefined) return json(401, { message: 'Bad credentials' });
    const { id, login, name, email, verified } = user;
    if (path === '/api/user') return json(200, { id, login, name, email });
    if (path === '/api/user/emails') return json(200, email === null ? [] : [{ email, verified, primary: true }]);
    if (path === '/api/userinfo') return json(200, { sub: String(id), name, email, email_verified: verified });
    return json(404, { message: 'Not Found' });
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    const isPost = request.method === 'POST';
    if (pathname === '/token' && isPost) return exchange(new URLSearchParams(await text(request)), request.headers.authorization);
    if (pathname.startsWith('/api/') && !isPost) return api(pathname, request.headers.authorization);
    if (pathname !== '/authorize') return json(404, { message: 'Not Found' });
    const fault = faultOf(searchParams);
    if (fault !== undefined) return { status: 400, headers: { 'content-type': 'text/plain' }, body: fault };
    if (!isPost) return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: consentPage(`?${searchParams}`) };
    const choice = new URLSearchParams(await text(request));
    const location = choice.has('deny') ? back(searchParams, { error: 'access_denied' }) : approve(searchParams, userOf(choice));
    return { status: 303, headers: { location } };
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void answer(request)
      .catch((error: unknown) => json(500, { message: String(error) }))
      .then(({ status, headers = {}, body = '' }) => response.writeHead(status, { ...headers, 'cache-control': 'no-store' }).end(body));
  });
  await new Promise<void>((listening) => server.listen(port, host, listening));
  url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** Every token that it has handed out, to look for them where they must not be. */
    tokens,
    /** Plays the user at the consent page. Returns the URL that the browser is redirected to. */
    approve: async (authorizationUrl: string, user: FakeUser) => approve(new URL(authorizationUrl).searchParams, user),
    deny: (authorizationUrl: string) => back(new URL(authorizationUrl).searchParams, { error: 'access_denied' }),
    /** ID tokens are of this subject, while set. */
    nameInIdToken(subject: string | undefined) {
      idTokenSubject = subject;
    },
    /** ID tokens say when the person signed in, while set. */
    remember(session: OwnSession | undefined) {
      ownSession = session;
    },
    /** The token endpoint and the API answer with this status, while set. */
    failWith(status: number | undefined) {
      failure = status;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The same address is the same user each time, so that one can come back. */
function userOf(choice: URLSearchParams): FakeUser {
  const email = choice.get('email') ?? '';
  const login = choice.get('login') ?? (email.split('@')[0] || 'somebody');
  const named = Number(choice.get('id') ?? Number.NaN);
  const id = Number.isSafeInteger(named) ? named : idOf(email || login);
  return { id, login, name: choice.get('name') || login, email: email === '' ? null : email, verified: choice.has('verified') };
}

function idOf(name: string): number {
  return Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 8), 16);
}

/** RFC 6749 2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(authorization: string | undefined): string[] | undefined {
  const encoded = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
  const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().split(':').map(decode);
}
