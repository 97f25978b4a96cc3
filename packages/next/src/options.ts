import { type EndedSessions, endedInMemory } from './ended.ts';

export type TesseraAuthOptions = {
  /** `https://iam.example.com/org/<organization>/prj/<project>`. */
  readonly issuer: string;
  /** Of an app of type `web`, whose redirect URI is `<baseUrl>/auth/callback`. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The origin of this application as browsers see it: `https://app.example.com`. */
  readonly baseUrl: string;
  /**
   * Encrypts the cookies: 32 characters at least, of a random generator. A list rotates it: the
   * first one seals, all of them open.
   */
  readonly secret: string | readonly string[];
  /** Where the routes are. Default: `/auth`. */
  readonly path?: string;
  /** Default: `openid profile email offline_access`; add scopes of your APIs (`invoice:read`). */
  readonly scope?: string;
  /** The organization to sign in for, by id or slug, where the request names none. */
  readonly organization?: string;
  /** How long a person stays signed in without a new sign-in. Default: 14 days. */
  readonly maxAgeSeconds?: number;
  /** What only people who are signed in may open; it gets the decoded path. Default: nothing. */
  readonly isProtected?: (url: URL) => boolean;
  /** A page of yours for a sign-in that failed; it gets `?error=…`. Default: a plain page. */
  readonly errorPage?: string;
  /**
   * Sessions that were ended before their token expired. Default: in the memory of this process;
   * give one that all processes share.
   */
  readonly endedSessions?: EndedSessions;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
};

export type Settings = Omit<Required<TesseraAuthOptions>, 'organization' | 'errorPage' | 'fetch' | 'secret'> &
  Pick<TesseraAuthOptions, 'organization' | 'errorPage' | 'fetch'> & { readonly secrets: readonly string[]; readonly isSecure: boolean };

const shortestSecret = 32;

/** Checks the options when they are first needed: a build has no secrets yet. */
export function settingsOf(options: TesseraAuthOptions): Settings {
  for (const name of ['issuer', 'clientId', 'clientSecret', 'baseUrl'] as const)
    if (typeof options[name] !== 'string' || options[name] === '') throw new TypeError(`@tessera/next needs the option ${name}`);
  const secrets = typeof options.secret === 'string' ? [options.secret] : [...(options.secret ?? [])];
  if (secrets.length === 0 || !secrets.every((secret) => typeof secret === 'string' && secret.length >= shortestSecret))
    throw new TypeError(`@tessera/next needs the option secret, of ${shortestSecret} random characters at least: openssl rand -base64 32`);
  const issuer = addressOf(options.issuer, 'issuer');
  const baseUrl = addressOf(options.baseUrl, 'baseUrl');
  if (baseUrl.pathname !== '/' || baseUrl.search !== '')
    throw new TypeError('baseUrl is an origin, without a path: https://app.example.com');
  const path = options.path ?? '/auth';
  if (!/^(\/[\w-]+)+$/.test(path)) throw new TypeError('path starts with / and does not end with it: /auth');
  return {
    ...options,
    issuer: issuer.href.replace(/\/$/, ''),
    baseUrl: baseUrl.origin,
    isSecure: baseUrl.protocol === 'https:',
    secrets,
    path,
    scope: options.scope ?? 'openid profile email offline_access',
    maxAgeSeconds: options.maxAgeSeconds ?? 14 * 86_400,
    isProtected: options.isProtected ?? (() => false),
    endedSessions: options.endedSessions ?? endedInMemory(options.nowMs),
    nowMs: options.nowMs ?? Date.now,
  };
}

/** As in the verifier: http is for this machine only. */
function addressOf(text: string, name: string): URL {
  if (!URL.canParse(text)) throw new TypeError(`${name} is no address: ${text}`);
  const url = new URL(text);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) throw new TypeError(`${name} must be an https address`);
  return url;
}
