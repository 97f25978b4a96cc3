/** What a person typed or pasted to name the addresses of several people. */
export type Addresses = {
  readonly addresses: readonly string[];
  /** What stands where an address should, and is none. */
  readonly faults: readonly string[];
  /** How many were named again, also with other capitals. */
  readonly repeated: number;
  /** It was a table of which one column was read. */
  readonly isTable: boolean;
};

export const mostAddresses = 100;
/** A table with a hundred long lines. More makes the page slow, and is too much to send at once. */
export const longestText = 50_000;

const longestAddress = 254;
/** Refuses nothing that the server takes: it checks the domain by its own rules. */
const shape = /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@[^\s@"(),:;<>[\\\]]+$/u;

/**
 * Reads addresses between commas, semicolons, spaces and lines, as mail programs write them (`Ada
 * <ada@example.com>`), and those of a table's only column with addresses. Each step takes time in
 * proportion to the text.
 */
export function addressesIn(text: string): Addresses {
  const column = columnOf(text.split(/\r\n?|\n/).filter((line) => line.trim() !== ''));
  const tokens = (column?.cells ?? text.split(/[;\r\n]/)).flatMap(tokensOf);
  const found = new Map<string, string>();
  const faults = new Set<string>();
  let repeated = 0;
  for (const token of tokens) {
    const key = token.normalize('NFC').toLowerCase();
    if (!isAddress(token)) faults.add(token);
    else if (found.has(key)) repeated += 1;
    else found.set(key, token);
  }
  return { addresses: [...found.values()], faults: [...faults], repeated, isTable: column?.hasOthers === true };
}

function isAddress(token: string): boolean {
  return token.length <= longestAddress && !token.includes('..') && shape.test(token);
}

/** What could be an address in a part of the text without semicolons and line breaks. */
function tokensOf(part: string): string[] {
  const only = onlyIn(part.trim());
  if (only !== undefined) return wordsOf(only);
  return part.split(',').flatMap((entry) => {
    const [first = '', ...others] = entry.split('<');
    const words = others.flatMap((other, index) => {
      const [inside = '', ...after] = other.split('>');
      const next = after.join('>');
      // Before the next address stands its name.
      return [...wordsOf(inside), ...(index < others.length - 1 && !next.includes('@') ? [] : wordsOf(next))];
    });
    return others.length > 0 && !first.includes('@') ? words : [...wordsOf(first), ...words];
  });
}

/** As mail programs sort people: `Lovelace, Ada <ada@example.com>`. */
function onlyIn(part: string): string | undefined {
  const entry = part.endsWith(',') ? part.slice(0, -1) : part;
  const start = entry.lastIndexOf('<');
  const isLast = start !== -1 && entry.indexOf('>', start) === entry.length - 1;
  return isLast && entry.indexOf('@') > start && entry.indexOf('@') === entry.lastIndexOf('@') ? entry.slice(start + 1, -1) : undefined;
}

const wrapping = /^["'(\p{Cf}]*(.*?)["')\p{Cf}]*$/u;

/** Words without quotes, and without the unseen characters that copied text often begins with. */
function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).map((word) => (word.length > longestAddress ? word : (wrapping.exec(word)?.[1] ?? word)));
  return words.filter((word) => word !== '');
}

type Column = { readonly cells: readonly string[]; readonly hasOthers: boolean };

/** The cells of the only column with addresses, below its heading; undefined for no table. */
function columnOf(lines: readonly string[]): Column | undefined {
  for (const delimiter of ['\t', ';', ',']) {
    const rows = lines.map((line) => cellsOf(line, delimiter));
    const [first = []] = rows;
    const isTable = first.length > 1 && (rows.length > 1 || delimiter === '\t') && rows.every(({ length }) => length === first.length);
    if (!isTable) continue;
    const columns = first.map((_, index) => rows.map((row) => row[index] ?? ''));
    const withAddresses = columns.filter((cells) => cells.some((cell) => cell.includes('@')));
    const [cells] = withAddresses;
    if (cells === undefined || withAddresses.length > 1) continue;
    const hasOthers = columns.some((other) => other !== cells && other.some((cell) => cell.trim() !== ''));
    const below = cells[0]?.includes('@') || rows.length === 1 ? cells : cells.slice(1);
    // A line without an address is shown whole: its cell says nothing.
    return { cells: below.map((cell, index) => cell || (lines[index + cells.length - below.length] ?? '')), hasOthers };
  }
  return undefined;
}

/** The cells of one line (RFC 4180); a quoted one may contain the delimiter. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) cells.push('');
    else cells.push((cells.pop() ?? '') + character);
  }
  return cells;
}
