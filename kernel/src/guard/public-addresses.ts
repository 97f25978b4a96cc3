import { BlockList, isIPv6 } from 'node:net';

type Range = readonly [address: string, prefix: number];

/** Ranges of IANA's special-purpose registry that are not globally reachable, and multicast. */
const specialV4: readonly Range[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
  ] as const),
  ...([
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
];
/**
 * Within 2000::/3, the only range of global unicast: tunnels that carry IPv4, benchmarks, examples.
 */
const specialV6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const globalUnicast = listOf('ipv6', [['2000::', 3]]);
const refused = listOf('ipv6', specialV6);
for (const [address, prefix] of specialV4) refused.addSubnet(address, prefix, 'ipv4');

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

/** Whether an address belongs to the public internet. One that embeds an IPv4 address does not. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !refused.check(address, 'ipv4');
  return globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}
