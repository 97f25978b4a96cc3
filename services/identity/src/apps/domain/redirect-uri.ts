/**
 * Redirect URIs of apps (RFC 8252 section 7, RFC 9700 section 2.1): exact URIs that only the app
 * can receive.
 */

const longest = 2_000;
const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);
/**
 * A private scheme is a reversed domain: 'com.example.app'. The dot excludes 'javascript' and
 * 'data'.
 */
const privateScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

export type RedirectUriFault = 'malformed' | 'fragment' | 'wildcard' | 'credentials' | 'scheme' | 'ownOperation';

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.has(hostname);
}

/**
 * Why an address cannot be a redirect URI; undefined when it can. Requests must match it character
 * by character.
 */
export function redirectUriFault(address: string): RedirectUriFault | undefined {
  // Parsers drop or change these characters, so two parsers could see different addresses.
  if (address.length > longest || /[\s\\\p{C}]/u.test(address) || !URL.canParse(address)) return 'malformed';
  const url = new URL(address);
  if (address.includes('#')) return 'fragment';
  if (address.includes('*')) return 'wildcard';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.protocol === 'https:') return url.hostname === '' ? 'malformed' : undefined;
  if (url.protocol === 'http:') return isLoopback(url) ? undefined : 'scheme';
  return privateScheme.test(url.protocol) ? undefined : 'scheme';
}

/**
 * Whether an address lies on the platform's own origin: none is allowed there. For the browser a
 * redirect by one of our pages comes from our page, and some addresses begin for our own pages
 * alone.
 */
export function isOwnAddress(address: string, { appUrl, frontendUrl }: { readonly appUrl: string; readonly frontendUrl: string }): boolean {
  const { origin } = new URL(address);
  return [appUrl, frontendUrl].some((own) => new URL(own).origin === origin);
}
