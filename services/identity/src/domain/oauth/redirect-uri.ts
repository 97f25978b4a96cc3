/** Where an app's tokens may go (RFC 8252 section 7, RFC 9700 section 2.1): exact addresses, of which nobody else can be the owner. */

const longest = 2_000;
const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Schemes of an app on a device are a domain in reverse: 'com.example.app'. A dot is what tells them from 'javascript' and 'data'. */
const privateScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

export type RedirectUriFault = 'malformed' | 'fragment' | 'wildcard' | 'credentials' | 'scheme';

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHosts.has(hostname);
}

/** Why an address can't be one of an app's; nothing when it can. Requests are compared with it character by character. */
export function redirectUriFault(address: string): RedirectUriFault | undefined {
  // A parser would drop or change these in silence: then two who read the same text would see different addresses.
  if (address.length > longest || /[\s\\\p{C}]/u.test(address) || !URL.canParse(address)) return 'malformed';
  const url = new URL(address);
  if (address.includes('#')) return 'fragment';
  if (address.includes('*')) return 'wildcard';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.protocol === 'https:') return url.hostname === '' ? 'malformed' : undefined;
  if (url.protocol === 'http:') return isLoopback(url) ? undefined : 'scheme';
  return privateScheme.test(url.protocol) ? undefined : 'scheme';
}
