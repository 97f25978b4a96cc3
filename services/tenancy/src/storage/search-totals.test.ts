/** The cached total of a search always equals an actual count. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { parseScope } from '@tessera/kernel/scope';
import { openTestService } from '../testing/service.ts';
import { type MemberPageQuery, pageMembers } from './member-page.ts';
import { addMember, removeMember } from './members.ts';
import { addPerson, deletePerson, renamePerson } from './people.ts';
import { pagePeople } from './people-page.ts';
import { foldMemberCounts } from './retention.ts';
import { createSearchTotals, type SearchTotals } from './search-totals.ts';

const service = await openTestService();
afterAll(() => service.close());

function now() {
  return new Date().toISOString();
}
type Search = Partial<MemberPageQuery>;

/** Both lists of an organization's people, with and without cached totals. */
async function look(organizationId: string, totals: SearchTotals, search: Search) {
  const query = { page: 1, limit: 100, sortField: 'name', sortOrder: 'asc', ...search } as const;
  const scope = parseScope({ tenant: 'organization', id: organizationId });
  const [members, people] = await Promise.all([
    service.database.scoped(scope, (tx) => pageMembers(tx, totals, organizationId, query), { readOnly: true, isOrdered: true }),
    service.database.scoped(scope, (tx) => pagePeople(tx, totals, { organizationId }, query), { readOnly: true, isOrdered: true }),
  ]);
  expect(members.totalCount).toBe(people.totalCount);
  expect(members.rows.map(({ id }) => id)).toStrictEqual(people.userIds);
  return people;
}

function isRemembered(totals: SearchTotals, organizationId: string, search: Search) {
  return totals.totalText(organizationId, search, () => '$1') !== undefined;
}

async function populate(organizationId: string, count: number, nameOf: (index: number) => string): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await service.database.transaction(async (tx) => {
    for (const [index, userId] of ids.entries()) {
      await addPerson(tx, { userId, name: nameOf(index), email: `p${index}@example.com` }, now());
      await addMember(tx, organizationId, userId);
    }
  });
  return ids;
}

describe('the cached total of a search', () => {
  test('is right after joins, leaves, renames, deletions and rolled-back changes', async () => {
    const { organizationId } = await service.createOrganization('Remembered');
    const ids = await populate(organizationId, 40, (index) => `Turing ${index}`);
    const totals = createSearchTotals();
    const totalOf = async (search: string) => (await look(organizationId, totals, { search })).totalCount;
    const [first = '', second = '', third = ''] = ids;
    const stranger = newId();
    const changes: readonly [what: string, found: number, change: () => Promise<unknown>][] = [
      ['nothing', 40, async () => undefined],
      ['leaving', 39, () => service.database.transaction((tx) => removeMember(tx, organizationId, first))],
      [
        'renaming, which leaves as many members',
        38,
        () => service.database.transaction((tx) => renamePerson(tx, { userId: second, name: 'Grace', email: 'p1@example.com' }, now())),
      ],
      [
        'joining',
        39,
        () =>
          service.database.transaction(async (tx) => {
            await addPerson(tx, { userId: stranger, name: 'TURING', email: null }, now());
            await addMember(tx, organizationId, stranger);
          }),
      ],
      [
        'a change that is called off',
        39,
        () =>
          expect(
            service.database.transaction(async (tx) => {
              await removeMember(tx, organizationId, third);
              throw new Error('called off');
            }),
          ).rejects.toThrow(),
      ],
      ['folding', 39, () => service.database.transaction(foldMemberCounts)],
      ['a deletion', 38, () => service.database.transaction((tx) => deletePerson(tx, third, now()))],
    ];
    for (const [what, found, change] of changes) {
      await change();
      for (let time = 1; time <= 3; time += 1) expect(await totalOf(' turing')).toStrictEqualFor(`${what}, time ${time}`, found);
      expect(isRemembered(totals, organizationId, { search: 'turing ' })).toStrictEqualFor(what, true);
    }
  });

  test('matches the page of the same snapshot while people join, leave and are renamed', async () => {
    const { organizationId } = await service.createOrganization('Moving');
    const ids = await populate(organizationId, 60, (index) => (index % 2 === 0 ? `Hopper ${index}` : `Kay ${index}`));
    const totals = createSearchTotals();
    let isOver = false;
    const move = async (at: number) => {
      for (let round = at; !isOver; round += 4) {
        const userId = ids[round % ids.length] ?? '';
        const name = `${round % 3 === 0 ? 'Hopper' : 'Kay'} ${round}`;
        await service.database.transaction((tx) => renamePerson(tx, { userId, name, email: null }, now()));
        await service.database.transaction((tx) => removeMember(tx, organizationId, userId));
        await service.database.transaction((tx) => addMember(tx, organizationId, userId));
        if (round % 20 === at) await service.database.transaction(foldMemberCounts);
      }
    };
    const moving = Promise.all([0, 1, 2].map(move));
    try {
      const scope = parseScope({ tenant: 'organization', id: organizationId });
      const seen = new Set<number>();
      for (let time = 0; time < 120; time += 1) {
        const query = { page: 1, limit: 100, sortField: 'name', sortOrder: 'asc', search: time % 2 === 0 ? 'hopper' : undefined } as const;
        const read = <Page>(work: Parameters<typeof service.database.scoped<Page>>[1]) =>
          service.database.scoped(scope, work, { readOnly: true, isOrdered: true });
        const [members, people] = await Promise.all([
          read((tx) => pageMembers(tx, totals, organizationId, query)),
          read((tx) => pagePeople(tx, totals, { organizationId }, query)),
        ]);
        expect(members.rows).toHaveLength(members.totalCount);
        expect(people.userIds).toHaveLength(people.totalCount);
        seen.add(members.totalCount);
      }
      expect(seen.size).toBeGreaterThan(2);
    } finally {
      isOver = true;
      await moving;
    }
  });

  test('is cached for one organization and one search, and never with ids', async () => {
    const [one, other] = [await service.createOrganization('One'), await service.createOrganization('Other')];
    await populate(one.organizationId, 3, () => 'Liskov');
    const totals = createSearchTotals();
    const totalOf = async (organizationId: string, search: Search) => (await look(organizationId, totals, search)).totalCount;
    expect(await totalOf(one.organizationId, { search: 'liskov' })).toBe(3);
    expect(await totalOf(other.organizationId, { search: 'liskov' })).toBe(0);
    expect(await totalOf(one.organizationId, { search: 'lisko' })).toBe(3);
    expect(await totalOf(one.organizationId, { search: 'liskow' })).toBe(0);
    expect(await totalOf(one.organizationId, { search: 'liskov', ids: [] })).toBe(0);
    expect(await totalOf(one.organizationId, { search: 'liskov' })).toBe(3);
    expect(isRemembered(totals, one.organizationId, { search: 'liskov', ids: [] })).toBe(false);
  });

  test('lets every page be read from the nearer end, in every order', async () => {
    const { organizationId } = await service.createOrganization('Paged');
    await populate(organizationId, 25, (index) => `Wirth ${index % 7}`);
    const totals = createSearchTotals();
    await look(organizationId, totals, { search: 'wirth' });
    for (const sortField of ['name', 'email', 'createdAt'] as const)
      for (const sortOrder of ['asc', 'desc'] as const)
        for (const limit of [1, 4, 25, 26])
          for (let page = 1; page <= Math.ceil(25 / limit) + 1; page += 1) {
            const search = { search: 'wirth', sortField, sortOrder, limit, page };
            expect(isRemembered(totals, organizationId, search)).toBe(true);
            expect(await look(organizationId, totals, search)).toStrictEqual(await look(organizationId, createSearchTotals(), search));
          }
  });
});
