/** A file of rows for people and their spreadsheets. */

export type CsvColumn<Item> = readonly [name: string, value: (item: Item) => string | null | undefined];

/**
 * A spreadsheet would run a text that begins like a formula (OWASP, CSV injection). The same rule
 * as that of the audit log's export.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: string): string {
  return `"${(formula.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
}

/**
 * RFC 4180. It begins with a byte order mark: without one, Excel reads the letters of UTF-8 as
 * those of the system, and most others that read CSV leave it out. The names of the columns are
 * those of the API, so that they are the same in each language.
 */
export function csvOf<Item>(columns: readonly CsvColumn<Item>[], items: readonly Item[]): string {
  const head = columns.map(([name]) => name).join(',');
  const lines = items.map((item) => columns.map(([, value]) => cell(value(item) ?? '')).join(','));
  return `\uFEFF${[head, ...lines].map((line) => `${line}\r\n`).join('')}`;
}
