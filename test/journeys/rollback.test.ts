/** The last release on the schema of today: what a rollback of the code meets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lastRelease } from '../../tools/release/last.ts';
import { databaseServices, variablePrefix } from '../../tools/services.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { settledInvariants } from '../support/faults/invariants.ts';
import { startOwnStack } from '../support/shared-stack.ts';
import { describeUnless } from '../support/unless.ts';
import { patienceMs } from '../support/until.ts';
import { checkOut, releaseUnless, runCodeOf } from '../support/upgrade/release.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf } from '../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

describeUnless(releaseUnless())('the code of the last release', () => {
  let database: TestDatabase;
  let env: Readonly<Record<string, string>>;
  let released: Awaited<ReturnType<typeof startOwnStack>>;

  beforeAll(async () => {
    const release = cleanup.use(checkOut(lastRelease()));
    database = cleanup.use(await createTestDatabase({ migrated: databaseServices }));
    cleanup.defer(() => runCodeOf(undefined));
    runCodeOf(release.services);
    // Its migration job runs too, as that of a rolled back chart does, and finds nothing to do.
    env = Object.fromEntries(databaseServices.map((service) => [`${variablePrefix(service)}_DATABASE_URL`, database.urls[service]]));
    released = await startOwnStack({ env });
    cleanup.defer(() => released.close());
  });

  test('makes one of everything in a schema that is migrated further', async () => {
    const owner = await createPerson(released);
    const scope = await createOrganization(owner);
    const project = await createProject(owner, scope);
    const make = async (path: string, body: object) => dataOf(await owner.client.post(path, body, owner.token)).id;
    const named = { scope, name: 'Original' };
    const roleId = await builtInRole(owner, scope, 'Viewer');
    await make('/api/roles', { ...named, groupIds: [await make('/api/groups', named)] });
    await make('/api/users', { ...named, roleIds: [roleId] });
    await make('/api/api-keys', { scope: project, name: 'Original', roleId });
    await make('/api/project-apps', { scope: project, name: 'Original', redirectUris: ['https://app.example.com/callback'] });
    const path = `/api/tags/${await make('/api/tags', { ...named, color: 'blue' })}`;
    expect((await owner.client.patch(path, { scope, name: 'Renamed' }, owner.token)).status).toBe(200);
    const { INTERNAL_AUTH_SECRET = '' } = released.stack.env('identity');
    const { KEYS_ENCRYPTION_KEY = '' } = released.stack.env('keys');
    await released.close();
    // What the release does not know of, the code of today makes when it starts again.
    runCodeOf(undefined);
    await using cleanupOfToday = new AsyncDisposableStack();
    cleanupOfToday.defer((await startOwnStack({ env: { ...env, INTERNAL_AUTH_SECRET, KEYS_ENCRYPTION_KEY } })).close);
    expect(await settledInvariants(database.adminUrl, patienceMs)).toStrictEqual([]);
  });
});
