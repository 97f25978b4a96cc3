import { expect, test } from '@jest/globals';
import { csvOf } from './csv.ts';

type Row = { readonly name: string | null };
const write = (...names: readonly (string | null)[]) =>
  csvOf<Row>(
    [
      ['name', ({ name }) => name],
      ['again', ({ name }) => name],
    ],
    names.map((name) => ({ name })),
  );

test('a file of rows is quoted as RFC 4180 says, in UTF-8 that spreadsheets know', () => {
  expect(write('Zoë "Z" Li', 'a,b\nc', null)).toBe('\uFEFFname,again\r\n"Zoë ""Z"" Li","Zoë ""Z"" Li"\r\n"a,b\nc","a,b\nc"\r\n"",""\r\n');
  expect(write()).toBe('\uFEFFname,again\r\n');
});

test('no cell begins like a formula', () => {
  for (const name of ["=cmd|' /C calc'!A0", '+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '="a"']) {
    const text = write(name);
    const line = text.slice(text.indexOf('\r\n') + 2);
    expect([name, line.startsWith(`"'${name.slice(0, 1)}`)]).toStrictEqual([name, true]);
  }
  expect(write('a=b')).toContain('"a=b"');
});
