import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { countQueries, createDatabase, type Database } from '@tessera/kernel/postgres';
import { startTestStack, type TestStack } from '../testing.ts';
import { createRightsCache, type RightsCache } from './rights-cache.ts';

let stack: TestStack;
let database: Database;
let cache: RightsCache;
before(async () => {
  stack = await startTestStack();
  database = createDatabase({ url: stack.database.urls.rbac, schema: 'rbac', restrictedRole: 'tenant_app_restricted', rlsEnabled: true });
  cache = createRightsCache({ database });
});
after(async () => {
  await database.close();
  await stack.stop();
});

describe('rights of one subject, asked for by many at once', () => {
  it('are read once', async () => {
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const { result, queries } = await countQueries(() => Promise.all(Array.from({ length: 50 }, () => cache.get(scope, { userId }))));
    assert.equal(queries, 1);
    assert.ok(result.every((loaded) => loaded !== undefined && loaded === result[0] && loaded.rights.rank === 1));
  });

  it('are read again by whoever asks after a change, though an older reading is still on its way', async () => {
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const early = cache.get(scope, { userId });
    cache.drop({ scope, rootId: scope.id, version: 1_000_000 });
    const { result: late, queries } = await countQueries(() => cache.get(scope, { userId }));
    assert.equal(queries, 1);
    assert.notEqual(late, await early);
  });

  it('are read anew by everybody who asks past the cache', async () => {
    const { scope, ownerId: userId } = await stack.makeOrganization();
    const { queries } = await countQueries(() => Promise.all([1, 2, 3].map(() => cache.get(scope, { userId }, { fresh: true }))));
    assert.equal(queries, 3);
  });
});
