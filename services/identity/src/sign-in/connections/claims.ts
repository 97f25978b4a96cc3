import type { Claims } from './provider.ts';

const [mostClaims, mostValues, longestValue] = [100, 200, 500];

/** Texts and lists of texts at the top, as much as a mapping may read. */
export function readClaims(said: object): Claims {
  const entries = Object.entries(said).flatMap(([name, value]): [string, readonly string[]][] => {
    const values = [value].flat().filter((one) => typeof one === 'string' && one.length <= longestValue);
    return values.length === 0 ? [] : [[name, values.slice(0, mostValues)]];
  });
  return Object.fromEntries(entries.slice(0, mostClaims));
}
