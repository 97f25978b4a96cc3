import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { testUnless } from '../../test/support/unless.ts';
import { releaseUnless } from '../../test/support/upgrade/release.ts';
import { git, lastRelease } from '../release/last.ts';
import { databaseServices } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';

const folders = ['kernel/migrations', ...databaseServices.map((service) => `services/${service}/migrations`)];
const files = folders.flatMap((folder) => readdirSync(join(repositoryFolder, folder)).map((name) => `${folder}/${name}`));
const { version: released, commit } = lastRelease();

/** What takes something away that the release before may still use, or refuses what it writes. */
const contracting: Readonly<Record<string, RegExp>> = {
  'drops a column': /\bDROP COLUMN\b/i,
  'drops a table': /\bDROP TABLE\b(?! %s)/i,
  'renames a table or column': /\bALTER TABLE\b[^;]*\bRENAME (?:TO|COLUMN)\b/i,
  'changes the type of a column': /\bALTER COLUMN \w+ (?:SET DATA )?TYPE\b/i,
  'makes a column required':
    /\bSET NOT NULL\b|\bADD COLUMN (?:(?!\b(?:DEFAULT|GENERATED)\b)[^,;])*\bNOT NULL\b(?![^,;]*\b(?:DEFAULT|GENERATED)\b)/i,
};

/** Such a file says since which release nothing uses it: then the code before can do without. */
const leave = /^-- contract: not used since (\d+\.\d+\.\d+)$/m;

const excepted: Readonly<Record<string, string>> = {
  'kernel/migrations/005_audit_events.sql': 'renames audit_log and makes one of the same columns in the same transaction',
};

/** What is wrong with a migration that comes after the last release. */
function faultsOf(text: string, since = released): readonly string[] {
  const statements = text.replace(/--.*$/gm, '');
  const found = Object.entries(contracting).flatMap(([what, pattern]) => (pattern.test(statements) ? [what] : []));
  const [, allowedSince] = leave.exec(text) ?? [];
  return allowedSince !== undefined && isAtMost(allowedSince, since) ? [] : found;
}

function isAtMost(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) <= 0;
}

testUnless(releaseUnless())('migrations of the last release are never edited', () => {
  const blobs = new Map(
    git('ls-tree', '-r', commit, ...folders)
      .trim()
      .split('\n')
      .map((line) => [line.split('\t')[1] ?? '', line.split(/\s/)[2]] as const),
  );
  expect(blobs.size).toBeGreaterThan(30);
  const paths = [...blobs.keys()];
  const now = git('hash-object', ...paths)
    .trim()
    .split('\n');
  expect(paths.filter((path, index) => now[index] !== blobs.get(path))).toStrictEqual([]);
});

testUnless(releaseUnless())('migrations after the last release only add, so that its code works on them', () => {
  const old = new Set(
    git('ls-tree', '-r', '--name-only', commit, ...folders)
      .trim()
      .split('\n'),
  );
  const fresh = files.filter((path) => !old.has(path) && excepted[path] === undefined);
  const faults = fresh.flatMap((path) => faultsOf(readFileSync(join(repositoryFolder, path), 'utf8')).map((fault) => `${path} ${fault}`));
  expect(faults).toStrictEqual([]);
});

test('what a migration may not do is found, unless a release before has stopped using it', () => {
  const cases = [
    ['ALTER TABLE a DROP COLUMN b;', ['drops a column']],
    ['DROP TABLE a;', ['drops a table']],
    ['ALTER TABLE a\n  RENAME COLUMN b TO c;', ['renames a table or column']],
    ['ALTER TABLE a ALTER COLUMN b TYPE bigint;', ['changes the type of a column']],
    ['ALTER TABLE a ALTER COLUMN b SET NOT NULL;', ['makes a column required']],
    ['ALTER TABLE a ADD COLUMN b text NOT NULL;', ['makes a column required']],
    [`ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';`, []],
    ['ALTER TABLE a ADD COLUMN b text; -- DROP COLUMN later', []],
    ['-- contract: not used since 0.1.0\nALTER TABLE a DROP COLUMN b;', []],
    ['-- contract: not used since 0.3.0\nALTER TABLE a DROP COLUMN b;', ['drops a column']],
  ] as const;
  for (const [text, faults] of cases) expect(faultsOf(text, '0.2.0')).toStrictEqualFor(text, faults);
});
