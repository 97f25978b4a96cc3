import { BlockList, isIP, isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';

type Network = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' };

/** An address or a network in CIDR notation; undefined for other texts. */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (version === 0 || prefix > longest) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

const compiled = new LRUCache<string, BlockList>({ max: 1_000 });

function listOf(networks: readonly string[]): BlockList {
  const key = networks.join();
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const text of networks) {
    const network = readNetwork(text);
    if (network !== undefined) list.addSubnet(network.address, network.prefix, network.family);
  }
  compiled.set(key, list);
  return list;
}

/** An IPv4 address may come as one of IPv6 (RFC 4291 section 2.5.5.2). Without an address: no. */
export function isWithin(networks: readonly string[], ipAddress: string): boolean {
  const address = ipAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) !== 0 && listOf(networks).check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Whether each of the networks lies in one of the outer ones, of the same family. */
export function areWithin(outer: readonly string[], networks: readonly string[]): boolean {
  const known = outer.map(readNetwork);
  return networks
    .map(readNetwork)
    .every((inner) =>
      known.some(
        (one, place) =>
          inner !== undefined &&
          one?.family === inner.family &&
          one.prefix <= inner.prefix &&
          listOf(outer.slice(place, place + 1)).check(inner.address, inner.family),
      ),
    );
}
