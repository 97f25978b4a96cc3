import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../../../tools/stack/repository.ts';
import { isForMachines } from './machine-role.ts';

test('of the built-in roles in docs/permissions.md those of service accounts are known, and no role of a tenant is taken for one', () => {
  const header = readFileSync(join(repositoryFolder, 'docs', 'permissions.md'), 'utf8').match(/^\| permission \|.*$/m)?.[0] ?? '';
  const names = header.split('|').map((cell) => cell.trim());
  expect(names.filter((name) => isForMachines({ name, isBuiltIn: true }))).toStrictEqual(['Organization Creator', 'Provisioning']);
  expect(isForMachines({ name: 'Provisioning', isBuiltIn: false })).toBe(false);
});
