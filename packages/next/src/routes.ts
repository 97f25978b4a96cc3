/** The routes under `/auth`: web requests in, web responses out. */
import { cookieNames, parseCookies, setCookie } from './cookies.ts';
import type { Keeper } from './keeper.ts';
import type { Settings } from './options.ts';
import { answeredError, type Begun, type Provider, type SignInRequest } from './provider.ts';
import { returnAddress } from './return-to.ts';
import type { Sealer } from './seal.ts';
import type { Kept } from './session.ts';

type Parts = { readonly settings: Settings; readonly provider: Provider; readonly sealer: Sealer; readonly keeper: Keeper };
export type Handler = (request: Request) => Promise<Response>;

/** How long a person may take at Tessera. */
const signInSeconds = 900;
/** More tabs at once than people have; each cookie makes every request longer. */
const mostBegun = 4;
const longestForm = 16_384;

export type SignInError = 'denied' | 'expired' | 'failed' | 'unavailable';

const words: Readonly<Record<SignInError, string>> = {
  denied: 'The sign-in was refused, or you do not belong to this organization.',
  expired: 'The sign-in took too long, or began in another browser.',
  failed: 'The sign-in did not work.',
  unavailable: 'The sign-in cannot be reached at the moment.',
};

export function createRoutes({ settings, provider, sealer, keeper }: Parts): { readonly GET: Handler; readonly POST: Handler } {
  const { baseUrl, path, isSecure, nowMs } = settings;
  const names = cookieNames(isSecure);

  function redirect(address: string, cookies: readonly string[] = [], status: 302 | 303 = 302): Response {
    const headers = new Headers({ location: address, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    for (const cookie of cookies) headers.append('set-cookie', cookie);
    return new Response(null, { status, headers });
  }

  function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
    return new Response(text, {
      status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    });
  }

  function failed(error: SignInError, cookies: readonly string[] = []): Response {
    if (settings.errorPage !== undefined) {
      const address = new URL(returnAddress(settings.errorPage, baseUrl));
      address.searchParams.set('error', error);
      return redirect(address.href, cookies);
    }
    const response = plain(error === 'unavailable' ? 503 : 400, `${words[error]} Begin again at ${baseUrl}${path}/sign-in\n`);
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    return response;
  }

  async function begin(request: Request, wish: SignInRequest, status: 302 | 303): Promise<Response> {
    try {
      const { address, begun } = await provider.begin(wish);
      const sealed = await sealer.seal('sign-in', begun, signInSeconds);
      const others = [...parseCookies(request.headers.get('cookie')).keys()].filter((name) => name.startsWith(`${names.signIn}-`));
      const dropped = others.length < mostBegun ? [] : others.map((name) => setCookie(name, '', 0, isSecure));
      return redirect(address, [...dropped, setCookie(await nameOf(begun.state), sealed, signInSeconds, isSecure)], status);
    } catch (error) {
      console.error('@tessera/next: the sign-in cannot begin', error);
      return failed('unavailable');
    }
  }

  /** One cookie for each sign-in, so that two tabs do not end each other's. */
  async function nameOf(state: string): Promise<string> {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(state)));
    return `${names.signIn}-${Array.from(hash.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  /** Next.js loads what a link leads to before a person follows it. */
  function isPrefetch(request: Request): boolean {
    const { headers } = request;
    return headers.has('next-router-prefetch') || /prefetch/.test(`${headers.get('purpose')} ${headers.get('sec-purpose')}`);
  }

  async function signIn(request: Request): Promise<Response> {
    if (isPrefetch(request)) return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
    const { searchParams } = new URL(request.url);
    const returnTo = returnAddress(searchParams.get('returnTo'), baseUrl);
    const organization = searchParams.get('organization') ?? settings.organization;
    // A link on another site may begin a sign-in, and not move a person to another organization.
    if (isForeign(request) && (await keeper.current(jarOf(request)))) return redirect(returnTo);
    return begin(request, { returnTo, ...(organization !== undefined && { organization }) }, 302);
  }

  async function callback(request: Request): Promise<Response> {
    const { search, searchParams } = new URL(request.url);
    const jar = jarOf(request);
    const name = await nameOf(searchParams.get('state') ?? '');
    const begun = await sealer.open('sign-in', jar.get(name) ?? '');
    if (!isBegun(begun)) return failed('expired');
    const spent = setCookie(name, '', 0, isSecure);
    try {
      const tokens = await provider.finish(search, begun);
      const fresh = keeper.keptOf(tokens);
      const before = await keeper.read(jar);
      // The same grant at Tessera: to revoke the tokens before would end the new ones with them.
      const isSame = before !== undefined && before.sid === fresh.sid && organizationOf(before) === organizationOf(fresh);
      const kept = isSame ? { ...fresh, id: before.id } : fresh;
      const { cookies } = await keeper.write(jar, kept);
      // The session that this one replaces leaves nothing behind that could be used.
      if (!isSame && before?.refreshToken !== undefined) await provider.revoke(before.refreshToken);
      return redirect(returnAddress(begun.returnTo.slice(baseUrl.length), baseUrl), [spent, ...cookies]);
    } catch (error) {
      const answered = answeredError(error);
      if (answered === undefined) console.error('@tessera/next: the sign-in failed', error);
      return failed(answered === 'access_denied' ? 'denied' : 'failed', [spent]);
    }
  }

  /** From another site, or another host of this one, which may be in other hands. */
  function isForeign(request: Request): boolean {
    return ['cross-site', 'same-site'].includes(request.headers.get('sec-fetch-site') ?? '');
  }

  /** A form of this application, and of no other site. */
  function isOwn(request: Request): boolean {
    const site = request.headers.get('sec-fetch-site');
    return site === null ? request.headers.get('origin') === baseUrl : site === 'same-origin';
  }

  async function signOut(request: Request): Promise<Response> {
    const jar = jarOf(request);
    const kept = await keeper.read(jar);
    if (kept !== undefined) {
      // A request that is under way may set the cookie again.
      await settings.endedSessions.add(kept.id, Math.max(kept.accessUntilMs, nowMs()) + 3_600_000);
      if (kept.refreshToken !== undefined) await provider.revoke(kept.refreshToken);
    }
    const address = await provider.signOutAddress(kept?.idToken).catch(() => `${baseUrl}/`);
    return redirect(address, keeper.clear(jar).cookies, 303);
  }

  async function organization(request: Request, form: URLSearchParams): Promise<Response> {
    const returnTo = returnAddress(form.get('returnTo'), baseUrl);
    const chosen = form.get('organization') ?? '';
    return begin(request, chosen === '' ? { returnTo, prompt: 'select_account' } : { returnTo, organization: chosen }, 303);
  }

  async function backChannelLogout(form: URLSearchParams): Promise<Response> {
    const sid = await provider.endedSession(form.get('logout_token') ?? '').catch(() => undefined);
    if (sid === undefined) return plain(400, 'This is no logout token.\n');
    await settings.endedSessions.add(sid, nowMs() + settings.maxAgeSeconds * 1000);
    return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
  }

  /** Empty for a body that is longer than any form of ours: its rest is not read. */
  async function formOf({ body }: Request): Promise<URLSearchParams> {
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return new URLSearchParams(text);
      text += part.value;
      if (text.length > longestForm) {
        await reader?.cancel();
        return new URLSearchParams();
      }
    }
  }

  const notFound = () => plain(404, 'There is nothing here.\n');

  return {
    async GET(request) {
      const { pathname } = new URL(request.url);
      if (pathname === `${path}/sign-in`) return signIn(request);
      if (pathname === `${path}/callback`) return callback(request);
      const isForm = pathname === `${path}/sign-out` || pathname === `${path}/organization`;
      return isForm ? plain(405, 'This takes a form with the method POST.\n', { allow: 'POST' }) : notFound();
    },
    async POST(request) {
      const { pathname } = new URL(request.url);
      // Tessera calls it, from no browser: the token itself is checked.
      if (pathname === `${path}/back-channel-logout`) return backChannelLogout(await formOf(request));
      if (!isOwn(request)) return plain(403, 'This form must come from the application itself.\n');
      if (pathname === `${path}/sign-out`) return signOut(request);
      if (pathname === `${path}/organization`) return organization(request, await formOf(request));
      return notFound();
    },
  };
}

function organizationOf({ session }: Kept): string | undefined {
  return session.organization?.id;
}

function jarOf(request: Request) {
  return parseCookies(request.headers.get('cookie'));
}

function isBegun(content: unknown): content is Begun {
  const parts = (content ?? {}) as Record<string, unknown>;
  return ['state', 'nonce', 'verifier', 'returnTo'].every((name) => typeof parts[name] === 'string');
}
