/** The session of a request: read from its cookies, renewed before its token ends. */
import { type CookieJar, clearChunks, cookieNames, joinChunks, setChunks } from './cookies.ts';
import type { Settings } from './options.ts';
import { isRefusal, type Provider } from './provider.ts';
import type { Sealer } from './seal.ts';
import { isKept, type Kept, sessionOf, type Tokens } from './session.ts';

/** A token with less than this left is renewed. */
const marginMs = 60_000;
/** How long late requests that still have the old cookie get what it became. */
const rememberedMs = 60_000;
const mostRemembered = 5_000;

export type Renewed = {
  /** Undefined: signed out. */
  readonly kept: Kept | undefined;
  /** The jar that the page sees. */
  readonly jar: CookieJar;
  /** What the response sets. */
  readonly cookies: readonly string[];
};

export type Keeper = ReturnType<typeof createKeeper>;

export function createKeeper(settings: Settings, provider: Provider, sealer: Sealer) {
  const { nowMs, isSecure, maxAgeSeconds, endedSessions } = settings;
  const name = cookieNames(isSecure).session;
  /** By refresh token: each is used once, however many requests come with it. */
  const renewals = new Map<string, { readonly atMs: number; readonly outcome: Promise<Kept | undefined> }>();

  async function read(jar: CookieJar): Promise<Kept | undefined> {
    const sealed = joinChunks(jar, name);
    const content = sealed === undefined ? undefined : await sealer.open('session', sealed);
    if (!isKept(content) || content.session.endsAtMs <= nowMs()) return undefined;
    return (await isEnded(content)) ? undefined : content;
  }

  async function isEnded({ id, sid }: Kept): Promise<boolean> {
    return (await endedSessions.has(id)) || (await endedSessions.has(sid));
  }

  async function write(jar: CookieJar, kept: Kept): Promise<Pick<Renewed, 'jar' | 'cookies'>> {
    const ttlSeconds = Math.max(1, Math.floor((kept.session.endsAtMs - nowMs()) / 1000));
    const sealed = await sealer.seal('session', kept, ttlSeconds);
    const cookies = setChunks(jar, name, sealed, ttlSeconds, isSecure);
    const next = new Map(jar);
    for (const cookie of cookies) {
      const [, cookieName = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') next.delete(cookieName);
      else next.set(cookieName, value);
    }
    return { jar: next, cookies };
  }

  function clear(jar: CookieJar): Pick<Renewed, 'jar' | 'cookies'> {
    return { jar: new Map([...jar].filter(([each]) => !each.startsWith(`${name}.`))), cookies: clearChunks(jar, name, isSecure) };
  }

  async function renew(kept: Kept, refreshToken: string): Promise<Kept | undefined> {
    const tokens = await provider.refresh(refreshToken).catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    });
    // A renewal never changes who is signed in.
    if (tokens === undefined || (tokens.claims !== undefined && tokens.claims['sub'] !== kept.session.user.id)) return undefined;
    return { ...kept, ...keptOf(tokens, kept) };
  }

  function keptOf(tokens: Tokens, before?: Kept): Kept {
    const endsAtMs = before?.session.endsAtMs ?? nowMs() + maxAgeSeconds * 1000;
    const refreshToken = tokens.refreshToken ?? before?.refreshToken;
    const idToken = tokens.idToken ?? before?.idToken;
    const scope = tokens.scope ?? before?.session.scopes.join(' ') ?? '';
    const session =
      tokens.claims === undefined && before !== undefined
        ? { ...before.session, scopes: scope.split(' ') }
        : sessionOf(tokens.claims ?? {}, scope, endsAtMs);
    const sid = tokens.claims?.['sid'];
    return {
      session,
      id: before?.id ?? crypto.randomUUID(),
      sid: before?.sid ?? (typeof sid === 'string' ? sid : crypto.randomUUID()),
      accessToken: tokens.accessToken,
      accessUntilMs: Math.min(nowMs() + tokens.expiresInSeconds * 1000, endsAtMs),
      ...(refreshToken !== undefined && { refreshToken }),
      ...(idToken !== undefined && { idToken }),
    };
  }

  /** The same promise for all who come with the same refresh token. */
  function renewOnce(kept: Kept, refreshToken: string): Promise<Kept | undefined> {
    for (const [token, { atMs }] of renewals) if (atMs + rememberedMs <= nowMs() || renewals.size >= mostRemembered) renewals.delete(token);
    const known = renewals.get(refreshToken);
    if (known !== undefined) return known.outcome;
    const outcome = renew(kept, refreshToken);
    renewals.set(refreshToken, { atMs: nowMs(), outcome });
    // What could not be asked is asked again.
    outcome.catch(() => renewals.delete(refreshToken));
    return outcome;
  }

  return {
    read,
    write,
    clear,
    keptOf,

    /** Who is signed in now: the access token is good, so nothing ended more than its life ago. */
    async current(jar: CookieJar): Promise<Kept | undefined> {
      const kept = await read(jar);
      return kept !== undefined && kept.accessUntilMs > nowMs() ? kept : undefined;
    },

    async renewed(jar: CookieJar): Promise<Renewed> {
      const kept = await read(jar);
      if (kept === undefined) return { kept, ...clear(jar) };
      if (kept.accessUntilMs > nowMs() + marginMs) return { kept, jar, cookies: [] };
      const isGood = kept.accessUntilMs > nowMs();
      if (kept.refreshToken === undefined) return isGood ? { kept, jar, cookies: [] } : { kept: undefined, ...clear(jar) };
      try {
        const next = await renewOnce(kept, kept.refreshToken);
        if (next === undefined || (await isEnded(next))) return { kept: undefined, ...clear(jar) };
        return { kept: next, ...(await write(jar, next)) };
      } catch {
        // Tessera cannot be reached: the cookie stays, and counts for as long as its token does.
        return { kept: isGood ? kept : undefined, jar, cookies: [] };
      }
    },
  };
}
