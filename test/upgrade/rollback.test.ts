/** The last release on the schema of today: what a rollback of the code meets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { databaseServices, variablePrefix } from '../../tools/stack/services.ts';
import { createTestDatabase, type TestDatabase } from '../../tools/testing/database.ts';
import { describeUnless } from '../../tools/testing/unless.ts';
import { until } from '../../tools/testing/until.ts';
import { brokenInvariants } from '../faults/invariants.ts';
import { startOwnStack } from '../system/stack.ts';
import { createWorld } from '../system/world.ts';
import { checkOut, lastRelease, releaseUnless, runCodeOf } from './release.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

describeUnless(releaseUnless())('the code of the last release', () => {
  let database: TestDatabase;
  let released: Awaited<ReturnType<typeof startOwnStack>>;

  beforeAll(async () => {
    const release = cleanup.use(checkOut(lastRelease()));
    database = cleanup.use(await createTestDatabase({ migrated: databaseServices }));
    cleanup.defer(() => runCodeOf(undefined));
    runCodeOf(release.services);
    // Its migration job runs too, as that of a rolled back chart does, and finds nothing to do.
    const urls = databaseServices.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, database.urls[service]]);
    released = await startOwnStack({ env: Object.fromEntries(urls) });
    cleanup.defer(() => released.close());
  });

  test('makes one of everything in a schema that is migrated further', async () => {
    const { owner, organization, ids } = await createWorld(released);
    const path = `/api/tags/${ids['Tag']}`;
    expect((await owner.client.patch(path, { scope: organization, name: 'Renamed' }, owner.token)).status).toBe(200);
    // The world has one user without a role, on purpose.
    const oneWithoutRole = expect.stringMatching(/^a member has a role: 1,/);
    await until(async () => (await brokenInvariants(database.adminUrl)).length <= 1);
    expect(await brokenInvariants(database.adminUrl)).toStrictEqual([oneWithoutRole]);
  });
});
