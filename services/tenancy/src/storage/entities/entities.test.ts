import { expect, test } from '@jest/globals';
import { schemaDifferences } from '@tessera/kernel/migrations';
import { createTestDatabase } from '../../../../../tools/testing/database.ts';
import * as entities from './index.ts';

test('the entities of tenancy and its migrated database agree', async () => {
  await using database = await createTestDatabase({ migrated: ['tenancy'] });
  expect(await schemaDifferences(database.urls.tenancy, 'tenancy', entities)).toStrictEqual([]);
});
