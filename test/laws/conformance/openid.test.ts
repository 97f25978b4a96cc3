/** docs/openid-conformance.md names tests that exist, and each module of the plans. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { hasTestIn, namesIn } from '../../support/named-tests.ts';

type Row = { readonly section: string; readonly file: string; readonly name: string };

const folder = 'services/identity/src/oauth/openid';
const document = readFileSync(join(repositoryFolder, 'docs', 'openid-conformance.md'), 'utf8');
const rows = rowsOf(document);
const hasTest = hasTestIn(folder);

function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, section, file, name] = /^\| (?!Module|Section|---)(.+?) \| .+ \| `([^`]+)`: (.+) \|$/.exec(line) ?? [];
    return section === undefined || file === undefined || name === undefined ? [] : [{ section: section.replaceAll('`', ''), file, name }];
  });
}

describe('the table of the OpenID conformance plans', () => {
  test('names only tests that exist', () => expect(rows.filter((row) => !hasTest(row))).toStrictEqual([]));

  test('has a test in each of its rows', () => {
    const lines = document.split('\n').filter((line) => /^\| (?:`oidcc-|\d)/.test(line));
    expect(rows).toHaveLength(lines.length);
  });

  test('names each module of the plans once', () => {
    const modules = rows.filter(({ section }) => section.startsWith('oidcc-')).map(({ section }) => section);
    const of = (start: string) => modules.filter((name) => name.startsWith(start)).length;
    expect(new Set(modules).size).toBe(modules.length);
    expect([modules.length, of('oidcc-rp-initiated-logout'), of('oidcc-backchannel')]).toStrictEqual([50, 11, 2]);
  });

  test('a test that does not exist, or is called otherwise, is found', () => {
    const [row] = rowsOf('| `oidcc-server` | code flow | `code-flow.test.ts`: signs somebody else in |');
    expect(row && hasTest(row)).toBe(false);
    expect(hasTest({ file: 'no.test.ts', name: 'signs a person in and says who it is' })).toBe(false);
    expect(namesIn(`for (const x of y) test(\`\${x} is refused\`, () => 1)`).some((known) => known.test('what is allowed'))).toBe(false);
  });
});
