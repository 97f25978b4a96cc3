import { tab } from './tab.ts';

const names = ['token', 'state', 'code', 'confirmation'] as const;
export type LinkSecret = Readonly<Partial<Record<(typeof names)[number] | 'spent', string>>>;

const inFragment: readonly string[] = ['/set-up'];

/** Only where `state` is a secret of a mail; otherwise it belongs to the app that sent it. */
function isSecret(name: (typeof names)[number], query: URLSearchParams): boolean {
  return name !== 'state' || query.has('token');
}

/**
 * Takes the one-time secrets of a link out of the address, so that they stay in no history and no
 * bookmark. The tab keeps them until they are spent: a page that is loaded again still has them.
 */
export function takeLinkSecret(): LinkSecret {
  const address = new URL(window.location.href);
  // In a fragment the secret is sent to no server; only pages whose links have one are read so.
  if (inFragment.includes(address.pathname) && address.hash.startsWith('#token=')) {
    address.searchParams.set('token', address.hash.slice('#token='.length));
    address.hash = '';
  }
  const given = names.filter((name) => address.searchParams.has(name) && isSecret(name, address.searchParams));
  const key = `link ${address.pathname}`;
  if (given.length === 0) return tab.read<LinkSecret>(key);
  const secret = Object.fromEntries(given.map((name) => [name, address.searchParams.get(name) ?? '']));
  for (const name of given) address.searchParams.delete(name);
  window.history.replaceState(window.history.state, '', address);
  tab.keep(key, secret);
  return secret;
}

/** The tab keeps only that a link was used here, so that going back to the page says so. */
export function forgetLinkSecret(): void {
  tab.keep(`link ${window.location.pathname}`, { spent: 'yes' });
}
