import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { schemaDifferences } from '../../../../test/support/schema-differences.ts';
import * as entities from './entities.ts';

test('the entities of rbac and its migrated database agree', async () => {
  await using test = await createTestDatabase({ migrated: ['rbac'] });
  expect(await schemaDifferences(test.urls.rbac, 'rbac', entities)).toStrictEqual([]);
});
