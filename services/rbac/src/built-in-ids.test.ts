import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInResourceId, builtInRoleId } from '@tessera/proto/built-in-ids';

const version = (id: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-(\d)[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id)?.[1];

test('built-in roles and resources have UUIDs of version 5, the same wherever they are made; all others version 7', () => {
  const organizationId = newId();
  const made = () => [builtInRoleId('organization', organizationId, 'Owner'), builtInResourceId('User')];
  expect(made().map(version)).toStrictEqual(['5', '5']);
  expect(made()).toStrictEqual(made());
  expect(builtInResourceId('User')).toBe('2a5a022a-d7a5-51d4-bcf5-14f1fec57e6b');
  expect(version(newId())).toBe('7');
});
