import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createFixture } from '../../kernel/src/postgres/fixture.ts';
import { column, pivot, references, table, timestamp } from '../../kernel/src/postgres/index.ts';
import { schemaDifferences } from './schema-differences.ts';

const things = table(
  'things',
  {
    id: column.uuid().primary(),
    name: column.text().defaultRaw(`''`),
    size: column.integer(),
    isReady: column.boolean().default(false),
    createdAt: timestamp().defaultRaw('now()'),
    deletedAt: timestamp().nullable(),
  },
  {
    indexes: [{ name: 'things_deleted', properties: ['deletedAt'], where: 'deleted_at IS NOT NULL' }],
    checks: [{ name: 'things_size_check', expression: 'size > 0' }],
  },
);
const organizationThings = pivot(
  'organization_things',
  { organizationId: column.uuid().primary(), thingId: references(things).primary().unique() },
  { tenant: ['organizationId'], listedBy: 'organizationId' },
);
const migration = `
  CREATE TABLE things (
    id uuid PRIMARY KEY, name text NOT NULL DEFAULT '', size integer NOT NULL CHECK (size > 0), is_ready boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz
  );
  CREATE INDEX things_deleted ON things (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE organization_things (
    organization_id uuid NOT NULL, thing_id uuid NOT NULL UNIQUE REFERENCES things (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, thing_id)
  );
  SELECT isolate_pivot('organization_things'), open_to_lists('organization_things', 'organization_id');`;

/** Each makes the database differ from the entities in one thing. */
const changes: Readonly<Record<string, string>> = {
  'a column more': 'ALTER TABLE things ADD COLUMN color text',
  'a column less': 'ALTER TABLE things DROP COLUMN is_ready',
  'another type': 'ALTER TABLE things ALTER COLUMN size TYPE bigint',
  'a column that may be null': 'ALTER TABLE things ALTER COLUMN size DROP NOT NULL',
  'a column that may not be null': 'ALTER TABLE things ALTER COLUMN deleted_at SET NOT NULL',
  'another default': 'ALTER TABLE things ALTER COLUMN is_ready SET DEFAULT true',
  'no default': 'ALTER TABLE things ALTER COLUMN created_at DROP DEFAULT',
  'an index less': 'DROP INDEX things_deleted',
  'an index more': 'CREATE INDEX things_size ON things (size)',
  'another condition of an index': 'DROP INDEX things_deleted; CREATE INDEX things_deleted ON things (deleted_at) WHERE deleted_at IS NULL',
  'another check': 'ALTER TABLE things DROP CONSTRAINT things_size_check, ADD CONSTRAINT things_size_check CHECK (size > 1)',
  'another primary key': 'ALTER TABLE organization_things DROP CONSTRAINT organization_things_pkey, ADD PRIMARY KEY (organization_id)',
  'no unique key': 'ALTER TABLE organization_things DROP CONSTRAINT organization_things_thing_id_key',
  'another rule for deletion': `ALTER TABLE organization_things DROP CONSTRAINT organization_things_thing_id_fkey,
    ADD CONSTRAINT organization_things_thing_id_fkey FOREIGN KEY (thing_id) REFERENCES things (id)`,
  'no row-level security': 'ALTER TABLE organization_things DISABLE ROW LEVEL SECURITY',
  'a policy less': 'DROP POLICY tenant_isolation ON organization_things',
  'a policy more': 'CREATE POLICY everything ON organization_things USING (true)',
  'a wider policy': 'ALTER POLICY tenant_isolation ON organization_things USING (true)',
  'a policy that checks less': 'ALTER POLICY tenant_isolation ON organization_things WITH CHECK (true)',
  'a policy for PUBLIC': 'ALTER POLICY tenant_lists ON organization_things TO PUBLIC',
  'a table more': 'CREATE TABLE forgotten (id uuid PRIMARY KEY)',
  'a table less': 'DROP TABLE organization_things',
};

const fixture = await createFixture('SELECT');
const owner = await fixture.test.connect(fixture.test.urls.rbac);
await owner.query(`SELECT set_config('tessera.restricted_role', 'tenant_app_restricted', false),
    set_config('tessera.scoped_role', 'tenant_app_restricted_rbac', false)`);
beforeEach(() => owner.query(`DROP TABLE IF EXISTS organization_things, things, forgotten; ${migration}`));
afterAll(() => fixture.close());

function differences(entities: Parameters<typeof schemaDifferences>[2] = { things, organizationThings }): Promise<string[]> {
  return schemaDifferences(fixture.test.urls.rbac, 'rbac', entities);
}

describe('schemaDifferences', () => {
  test('finds nothing when the migrated database is what the entities say', async () => expect(await differences()).toStrictEqual([]));

  for (const [name, change] of Object.entries(changes))
    test(`finds ${name}`, async () => {
      await owner.query(change);
      expect(await differences()).not.toEqual([]);
    });

  test('finds an entity without the policies of its table', async () => {
    const open = table('organization_things', { organizationId: column.uuid().primary(), thingId: references(things).primary().unique() });
    const found = await differences({ things, open });
    expect(found.some((statement) => statement.includes('tenant_isolation'))).toBe(true);
  });
});
