/** CSV as RFC 4180 says, with a header; quotes, byte order mark and line ends as they come. */
import type { Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { exitCodes, Failure } from '../failure.ts';
import { mostLineBytes } from './ndjson.ts';
import { type Entry, invalid, isEntry, type Key, keys, type Row, toPerson } from './person.ts';

/** What the columns of a table are called, and how one of its rows becomes a person. */
export type Table = {
  /** Throws a Failure for a header that is none of this table. */
  readonly columnsOf: (names: readonly string[], delimiter: string) => readonly string[];
  /** The cells that are not empty. */
  readonly found: (cells: Entry) => Row['found'];
};

type Place = { readonly line: number; readonly bytes: number };

export async function* rowsOfCsv(source: Readable, delimiter: string, table: Table = ownTable): AsyncIterable<Row> {
  /** The lines of the records so far. The parser's own count takes CRLF within quotes twice. */
  let lines = 0;
  let empty = 0;
  /** Of the records that the parser has read and that were not taken yet. */
  const places: Place[] = [];
  const onRecord = (cells: string[], { empty_lines, bytes }: Pick<Info, 'empty_lines' | 'bytes'>) => {
    empty = empty_lines;
    const line = lines + empty + 1;
    lines += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    places.push({ line, bytes });
    return cells;
  };
  const common = { bom: true, delimiter, max_record_size: mostLineBytes, skip_empty_lines: true };
  // Counted by ourselves: an error of the parser ends it before the records that it has read.
  const parser = source.pipe(parse({ ...common, relax_column_count: true, on_record: onRecord }));
  source.once('error', (error) => parser.destroy(error));
  let header: readonly string[] | undefined;
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      const { line, bytes } = places.shift() ?? { line: 0, bytes: 0 };
      if (header === undefined)
        header = table.columnsOf(
          cells.map((name) => name.trim()),
          delimiter,
        );
      else if (cells.length !== header.length) throw new Failure(`Line ${line}: the row has more or fewer cells than the header.`);
      else yield { line, bytes, found: found(header, cells, table) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Failure(told(error, lines + empty + 1));
  } finally {
    source.destroy();
  }
}

/** In our words: those of the parser show the cell, which may be a hash. */
function told({ code }: CsvError, line: number): string {
  const reasons: Readonly<Partial<Record<CsvError['code'], string>>> = {
    CSV_MAX_RECORD_SIZE: `the row is longer than ${mostLineBytes} bytes; a quote may not be closed`,
    CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
    CSV_INVALID_CLOSING_QUOTE: 'after a closing quote stands something else than a delimiter',
    INVALID_OPENING_QUOTE: 'a quote stands inside of a cell that has no quotes around it',
  };
  return `Line ${line}: ${reasons[code] ?? 'this is no CSV'}.`;
}

function columnsOf(names: readonly string[], delimiter: string): readonly Key[] {
  const unknown = names.find((name) => !(keys as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new Failure(
      `Line 1: ${JSON.stringify(unknown)} is no column. They are ${keys.join(', ')}, with ${JSON.stringify(delimiter)} between them (--delimiter).`,
      exitCodes.usage,
    );
  if (!names.includes('email') || new Set(names).size < names.length)
    throw new Failure('Line 1: the header names email, and each column once.', exitCodes.usage);
  return names as readonly Key[];
}

function found(header: readonly string[], record: readonly string[], table: Table): Row['found'] {
  const cells: Entry = Object.fromEntries(header.map((key, index) => [key, record[index] ?? '']).filter(([, cell]) => cell !== ''));
  return record.some((cell) => cell.includes('\uFFFD')) ? invalid('the row is not UTF-8', cells) : table.found(cells);
}

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };

/** Undefined for what is neither true nor false. */
export function flagOf(cell: unknown): boolean | undefined {
  return typeof cell === 'string' ? flags[cell.toLowerCase()] : undefined;
}

function personOf(cells: Entry): Row['found'] {
  const { emailVerified, metadata } = cells;
  const flag = flagOf(emailVerified);
  if (emailVerified !== undefined && flag === undefined) return invalid('emailVerified must be true or false', cells);
  const object = typeof metadata === 'string' ? objectOf(metadata) : undefined;
  if (metadata !== undefined && object === undefined) return invalid('metadata must be a JSON object', cells);
  return toPerson({
    ...cells,
    ...(flag === undefined ? {} : { emailVerified: flag }),
    ...(object === undefined ? {} : { metadata: object }),
  });
}

/** The columns that docs/guides/migrate.md names. */
const ownTable: Table = { columnsOf, found: personOf };

function objectOf(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
