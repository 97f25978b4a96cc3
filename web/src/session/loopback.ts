const hosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** An address of a program on this computer, as the server accepts them; undefined for others. */
export function loopbackAddress(redirect = ''): URL | undefined {
  if (!URL.canParse(redirect)) return undefined;
  const url = new URL(redirect);
  return url.protocol === 'http:' && hosts.has(url.hostname) && url.username === '' && url.password === '' ? url : undefined;
}
