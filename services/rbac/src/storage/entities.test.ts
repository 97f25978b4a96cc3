import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../../../../tools/testing/database.ts';
import { schemaDifferences } from '../../../../tools/testing/schema-differences.ts';
import * as entities from './entities.ts';

test('the entities of rbac and its migrated database agree', async () => {
  await using test = await createTestDatabase({ migrated: ['rbac'] });
  expect(await schemaDifferences(test.urls.rbac, 'rbac', entities)).toStrictEqual([]);
});
