/** What a request's cookies are, and what a response sets. */
export type CookieJar = ReadonlyMap<string, string>;

export type CookieNames = { readonly session: string; readonly signIn: string };

/** `__Host-`: no other host, also no subdomain, can set these. Browsers want https for it. */
export function cookieNames(isSecure: boolean): CookieNames {
  const prefix = isSecure ? '__Host-' : '';
  return { session: `${prefix}tessera-session`, signIn: `${prefix}tessera-sign-in` };
}

export function parseCookies(header: string | null): CookieJar {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return new Map(
    pairs
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  );
}

export function formatCookies(jar: CookieJar): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Browsers keep 4,096 bytes of a cookie, with its name. */
const chunkLength = 3_500;
/** More cannot be of this package, and would cost time. */
const mostChunks = 8;

export function chunksOf(name: string, value: string): [string, string][] {
  const count = Math.ceil(value.length / chunkLength);
  if (count > mostChunks) throw new RangeError(`the session is too large for cookies: ${value.length} characters`);
  return Array.from({ length: count }, (_, index) => [`${name}.${index}`, value.slice(index * chunkLength, (index + 1) * chunkLength)]);
}

export function joinChunks(jar: CookieJar, name: string): string | undefined {
  const parts: string[] = [];
  for (let index = 0; index < mostChunks; index += 1) {
    const part = jar.get(`${name}.${index}`);
    if (part === undefined) break;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join('');
}

export function setCookie(name: string, value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

/** Sets the chunks of a value, and removes those that a longer one left behind. */
export function setChunks(jar: CookieJar, name: string, value: string, maxAgeSeconds: number, isSecure: boolean): string[] {
  const chunks = chunksOf(name, value);
  const kept = new Set(chunks.map(([each]) => each));
  const stale = chunkNames(jar, name).filter((each) => !kept.has(each));
  return [
    ...chunks.map(([each, part]) => setCookie(each, part, maxAgeSeconds, isSecure)),
    ...stale.map((each) => setCookie(each, '', 0, isSecure)),
  ];
}

export function clearChunks(jar: CookieJar, name: string, isSecure: boolean): string[] {
  return chunkNames(jar, name).map((each) => setCookie(each, '', 0, isSecure));
}

function chunkNames(jar: CookieJar, name: string): string[] {
  return [...jar.keys()].filter((each) => each.startsWith(`${name}.`) && /^\d$/.test(each.slice(name.length + 1)));
}
