import picocolors from 'picocolors';

type Row = Readonly<Record<string, unknown>>;
export type Output = {
  readonly isJson: boolean;
  /** The answer: with `--json` as it is, else as text. */
  answer(value: unknown, text: string): void;
  /** A list: with `--json` an array of all fields, else a table of these columns. */
  table(rows: readonly Row[], columns: readonly string[], empty: string): void;
  /** To standard error, so that a pipe gets answers only. */
  note(text: string): void;
};

/** Without the control characters that could rewrite the terminal; lines stay. */
export function plain(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, ' ');
}

/**
 * Control characters of a name could rewrite the terminal; colours come without any where there is
 * none.
 */
export function oneLine(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/\p{Cc}/gu, ' ');
}

/** `1 change`, `2 changes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type Stream = { readonly isTTY?: boolean };

/** Colours for a terminal alone: picocolors by itself also colours what a CI keeps in files. */
export function colorsFor({ isTTY = false }: Stream, { NO_COLOR: off = '', TERM: terminal }: NodeJS.ProcessEnv = process.env) {
  return picocolors.createColors(isTTY && off === '' && terminal !== 'dumb');
}

/** JSON escapes the controls below U+0020 only; a terminal also obeys U+007F to U+009F. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\u007f-\u009f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

export function createOutput(isJson: boolean): Output {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const { bold } = colorsFor(process.stdout);
  return {
    isJson,
    answer: (value, text) => print(isJson ? json(value) : text),
    table(rows, columns, empty) {
      if (isJson) return print(json(rows));
      if (rows.length === 0) return print(empty);
      const heads = columns.map((column) => column.replace(/[A-Z]/g, ' $&').toUpperCase());
      const widths = columns.map((column, index) => Math.max(heads[index]?.length ?? 0, ...rows.map((row) => oneLine(row[column]).length)));
      const line = (cells: readonly string[]) =>
        cells
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd();
      print(bold(line(heads)));
      for (const row of rows) print(line(columns.map((column) => oneLine(row[column]))));
    },
    note: (text) => void process.stderr.write(`${plain(text)}\n`),
  };
}
