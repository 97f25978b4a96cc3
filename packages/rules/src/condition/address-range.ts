/**
 * Internet addresses and their ranges (RFC 4632, RFC 4291). Own code, because the console checks
 * conditions with this module in the browser, which has no `node:net`.
 */
type Address = { readonly value: bigint; readonly bits: 32 | 128 };

const octet = /^(?:0|[1-9]\d{0,2})$/;
const hexGroup = /^[\da-f]{1,4}$/i;

function readV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => octet.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** The groups of one side of `::`; a dotted end counts as two. */
function readGroups(text: string): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const dotted = index === parts.length - 1 ? readV4(part) : undefined;
      if (dotted === undefined) return undefined;
      groups.push(dotted >> 16n, dotted & 0xffffn);
    } else if (hexGroup.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function readV6(text: string): bigint | undefined {
  const [before = '', after, ...more] = text.split('::');
  const head = readGroups(before);
  const tail = after === undefined ? [] : readGroups(after);
  if (more.length > 0 || head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Six groups and a dotted end: no address is written longer. */
const longestAddress = 45;

/** An IPv4 address in IPv6 notation (::ffff:192.0.2.1) is that IPv4 address. */
function readAddress(text: string): Address | undefined {
  if (text.length > longestAddress) return undefined;
  if (!text.includes(':')) {
    const value = readV4(text);
    return value === undefined ? undefined : { value, bits: 32 };
  }
  const value = readV6(text);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn ? { value: value & 0xffffffffn, bits: 32 } : { value, bits: 128 };
}

type Range = Address & { readonly prefix: number };

function readRange(text: string): Range | undefined {
  const [address = '', length, ...more] = text.split('/');
  const found = readAddress(address);
  if (found === undefined || more.length > 0) return undefined;
  if (length === undefined) return { ...found, prefix: found.bits };
  const prefix = /^(?:0|[1-9]\d{0,2})$/.test(length) ? Number(length) : Number.NaN;
  // The prefix of a mapped address counts its 96 leading bits.
  const own = found.bits === 32 && address.includes(':') ? prefix - 96 : prefix;
  return own >= 0 && own <= found.bits ? { ...found, prefix: own } : undefined;
}

export function isAddressRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** Whether the address lies in the range, or is the one that stands in its place. */
export function isInRange(address: string, range: string): boolean {
  const [known, wanted] = [readAddress(address), readRange(range)];
  if (known === undefined || wanted === undefined || known.bits !== wanted.bits) return false;
  const shift = BigInt(wanted.bits - wanted.prefix);
  return known.value >> shift === wanted.value >> shift;
}
