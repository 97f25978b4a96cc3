/** Searches that find more than is kept at hand: exact, literal and in order, page by page, with invitations in between. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseScope } from '@tessera/kernel/scope';
import { call } from '../testing/call.ts';
import { openStage, type Stage } from '../testing/stage.ts';
import { pageMembers } from './member-page.ts';
import { pagePeople } from './people-page.ts';

const MEMBERS = 1_300;
let stage: Stage;
let organizationId: string;
before(async () => {
  stage = await openStage();
  const founded = await stage.found('Many');
  organizationId = founded.organizationId;
  const scope = { tenant: 'organization', id: organizationId };
  await stage.rows(
    `INSERT INTO people (user_id, name, email, created_at, updated_at)
     SELECT gen_random_uuid(),
            CASE WHEN i % 13 = 0 THEN '500off ' WHEN i % 2 = 0 THEN 'Ä 50%_OFF\\Ü ' ELSE 'zoe 50%_off\\ü ' END || i % 70,
            CASE WHEN i % 5 > 0 THEN 'm' || i || '@example.com' END, now() - i % 9 * interval '1 day', now() FROM generate_series(1, $1::int) i`,
    [MEMBERS],
  );
  await stage.rows(
    `INSERT INTO organization_users (organization_id, user_id, name, email, user_created_at, user_updated_at)
     SELECT $1, user_id, name, email, created_at, updated_at FROM people WHERE name LIKE '%ff%'`,
    [organizationId],
  );
  const roleId = stage.rbac.roleId(organizationId, 'Dev');
  for (let index = 0; index < 7; index += 1)
    await call(stage, 'rest', 'inviteMember', { scope, email: `m${index * 200}.guest@example.com`, roleId }, founded.owner.token);
});
after(() => stage.close());

const inScope = <Result>(work: Parameters<typeof stage.database.scoped<Result>>[1]) =>
  stage.database.scoped(parseScope({ tenant: 'organization', id: organizationId }), work, { readOnly: true });

const expected: Readonly<Record<string, string>> = {
  '50%_OFF\\ü': `strpos(lower(name), '50%_off\\ü') > 0`,
  '%_': `strpos(name, '%_') > 0`,
  '\\': `strpos(name, '\\') > 0`,
  'example.com': 'email IS NOT NULL',
  '0off': `strpos(name, '0off') > 0`,
  'f%f': 'false',
};

describe('a search with many hits', () => {
  for (const [search, condition] of Object.entries(expected)) {
    for (const sortField of ['name', 'email', 'createdAt'] as const) {
      it(`${search} by ${sortField}: exact, and its pages are the whole in both directions`, async () => {
        const [found] = await stage.rows<{ n: number }>(
          `SELECT count(*) AS n FROM organization_users WHERE organization_id = $1 AND ${condition}`,
          [organizationId],
        );
        const guests = search === 'example.com' ? 7 : 0;
        const read = async (sortOrder: 'asc' | 'desc', limit: number) => {
          const ids: string[] = [];
          for (let page = 1; ; page += 1) {
            const query = { page, limit, search, sortField, sortOrder };
            const { rows, totalCount } = await inScope((tx) => pageMembers(tx, organizationId, query));
            assert.equal(totalCount, (found?.n ?? 0) + guests);
            ids.push(...rows.map(({ id }) => id));
            if (rows.length < limit) return ids;
          }
        };
        const ascending = await read('asc', 97);
        assert.equal(new Set(ascending).size, (found?.n ?? 0) + guests);
        assert.deepEqual(await read('desc', 100), ascending.toReversed());
        const query = { page: 3, limit: 100, search, sortField, sortOrder: 'desc' } as const;
        const { userIds, totalCount } = await inScope((tx) => pagePeople(tx, { organizationId }, query));
        assert.equal(totalCount, found?.n);
        assert.equal(userIds.length, Math.max(0, Math.min(100, (found?.n ?? 0) - 200)));
      });
    }
  }
});
