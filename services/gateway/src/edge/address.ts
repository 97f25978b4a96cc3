import { BlockList, isIP } from 'node:net';

/**
 * Whether an address on the way of a request is one of our proxies: by its hop, or by its network.
 */
export type TrustedProxies = (address: string, hop: number) => boolean;

export const trustNoProxy: TrustedProxies = () => false;

/** `2` (hops) or `10.0.0.0/8, fd00::/8, 192.0.2.7` (networks). Throws on anything else. */
export function parseTrustedProxies(text: string): TrustedProxies {
  const setting = text.trim();
  if (setting === '' || setting === '0' || setting === 'false') return trustNoProxy;
  if (/^\d{1,2}$/.test(setting)) {
    const hops = Number(setting);
    return (_address, hop) => hop < hops;
  }
  return parseNetworks(setting);
}

/** `10.0.0.0/8, fd00::/8, 192.0.2.7`, or nothing. Throws on anything else. */
export function parseNetworks(text: string): TrustedProxies {
  if (text.trim() === '') return trustNoProxy;
  const networks = new BlockList();
  for (const entry of text.split(',')) addNetwork(networks, entry.trim());
  return (address) => {
    const version = isIP(address);
    return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

function addNetwork(networks: BlockList, entry: string): void {
  const [address = '', length, ...rest] = entry.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const prefix = length === undefined ? bits : Number(length);
  const isPrefix = length === undefined || /^\d{1,3}$/.test(length);
  if (version === 0 || !isPrefix || prefix > bits || rest.length > 0) throw new Error(`'${entry}' is neither an address nor a network`);
  networks.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The address of the client: the first one behind our own proxies. X-Forwarded-For is read from its
 * end, because a client can write anything at its beginning.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | undefined, isTrusted: TrustedProxies): string {
  let address = plainAddress(socketAddress);
  if (forwardedFor === undefined) return address;
  const entries = forwardedFor.split(',');
  for (let hop = 0; hop < entries.length && isTrusted(address, hop); hop += 1) {
    const next = plainAddress(withoutPort(entries[entries.length - 1 - hop]?.trim() ?? ''));
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** An IPv4-mapped IPv6 address becomes IPv4, and the zone is removed. */
function plainAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  const zone = address.indexOf('%');
  return zone === -1 ? address : address.slice(0, zone);
}

/** Proxies may write `[2001:db8::1]:4711` and `192.0.2.1:4711`. */
function withoutPort(entry: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(entry);
  return bracketed?.[1] ?? (/^[\d.]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(':')) : entry);
}

/**
 * The key of a rate limit: an IPv4 address or an IPv6 /64, which is the least that a customer gets.
 */
export function limitKey(address: string): string {
  return address.includes(':') ? `${firstFourGroups(address)}::/64` : address;
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  if (tail !== undefined) while (groups.length + last.length < 8) groups.push('0');
  return [...groups, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
