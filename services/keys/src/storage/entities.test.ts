import assert from 'node:assert/strict';
import { it } from 'node:test';
import { schemaDifferences } from '@tessera/kernel/migrations';
import { createTestDatabase } from '../../../../tools/testing/database.ts';
import * as entities from './entities.ts';

it('the entities of keys and its migrated database agree', async () => {
  await using test = await createTestDatabase({ migrated: ['keys'] });
  assert.deepEqual(await schemaDifferences(test.urls.keys, 'keys', entities), []);
});
