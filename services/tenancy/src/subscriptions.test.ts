import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openDirectory } from './testing/scim.ts';
import { openTestService } from './testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

const personNamed = (name: string) => {
  const userId = newId();
  const account = { id: newId(), type: 'personal' as const };
  return { userId, name, email: `${userId}@example.com`, isVerified: true, account };
};
const people = (userIds: readonly string[]) =>
  service.query<{ name: string; email: string | null }>('SELECT name, email FROM people WHERE user_id = ANY ($1) ORDER BY name', [userIds]);
const accounts = (userIds: readonly string[]) =>
  service.query<{ id: string }>('SELECT id FROM accounts WHERE owner_id = ANY ($1) AND deleted_at IS NULL ORDER BY id', [userIds]);

test('people who were imported get their accounts together, once, and rbac and identity are told of them', async () => {
  const imported = Array.from({ length: 100 }, (_, index) => personNamed(`Person ${index}`));
  const userIds = imported.map(({ userId }) => userId);
  const ids = imported.map(({ account }) => account.id).sort();
  const told = () => service.rbac.received.filter(({ type }) => type === 'accounts.imported').length;
  expect(await service.deliverEvent('users.imported', { people: imported })).toBe(true);
  expect(await people(userIds)).toHaveLength(100);
  expect((await accounts(userIds)).map(({ id }) => id)).toStrictEqual(ids);
  const [event] = service.rbac.received.filter(({ type }) => type === 'accounts.imported');
  const sent = event?.payload['accounts'] as { id: string; ownerId: string; type: string }[];
  expect(sent.map(({ id }) => id).sort()).toStrictEqual(ids);
  expect(sent.find(({ id }) => id === imported[7]?.account.id)).toMatchObject({ ownerId: imported[7]?.userId, type: 'personal' });
  const before = told();
  expect(await service.deliverEvent('users.imported', { people: imported })).toBe(true);
  expect([told(), (await accounts(userIds)).length]).toStrictEqual([before, 100]);
});

test('who was deleted or renamed before stays so; the others of the same event are not held up', async () => {
  const [gone, renamed, other] = [personNamed('Gone'), personNamed('Old Name'), personNamed('Other')];
  await service.deliverEvent('user.deleted', { userId: gone.userId, hard: true });
  await service.deliverEvent('user.updated', { userId: renamed.userId, name: 'New Name', email: renamed.email, isVerified: true });
  expect(await service.deliverEvent('users.imported', { people: [gone, renamed, other] })).toBe(true);
  const userIds = [gone, renamed, other].map(({ userId }) => userId);
  expect(await people(userIds)).toStrictEqual([
    { name: '', email: null },
    { name: 'New Name', email: renamed.email },
    { name: 'Other', email: other.email },
  ]);
  expect((await accounts(userIds)).map(({ id }) => id)).toStrictEqual([renamed.account.id, other.account.id].sort());
});

test('people whom a directory has sent join together, once, each by an invitation that is still open', async () => {
  const directory = await openDirectory(service);
  const { organizationId, createGroup, members, ask, create } = directory;
  // As rows whose people are to be made: the addresses are invited, and none is accepted.
  const rows = await Promise.all(['a', 'b', 'c'].map(async (name) => (await create(`${name}.${newId().slice(-8)}@partner.example`)).json));
  await createGroup('Made', [rows[0].id]);
  await ask('DELETE', `/Users/${rows[2].id}`);
  const invited = await service.query<{ id: string; email: string; status: string }>(
    'SELECT id, email, status FROM organization_invitations WHERE organization_id = $1 ORDER BY email',
    [organizationId],
  );
  expect(invited.map(({ status }) => status)).toStrictEqual(['pending', 'pending', 'revoked']);
  const provisioned = invited.map(({ id, email }) => ({ ...personNamed('Made'), email, invitation: { id, organizationId } }));
  const userIds = provisioned.map(({ userId }) => userId);
  const before = await members();
  for (const _ of ['first', 'again']) {
    expect(await service.deliverEvent('users.provisioned', { people: provisioned })).toBe(true);
    expect((await members()).filter((id) => !before.includes(id)).toSorted()).toStrictEqual(userIds.slice(0, 2).toSorted());
    expect(await accounts(userIds)).toHaveLength(3);
  }
  const linked = await service.query<{ user_id: string | null }>('SELECT user_id FROM directory_users WHERE id = ANY ($1) ORDER BY email', [
    rows.map(({ id }) => id),
  ]);
  expect(linked.map(({ user_id }) => user_id)).toStrictEqual(userIds.slice(0, 2));
  const told = (type: string) =>
    service.rbac.received.filter((event) => event.type === type && event.payload['organizationId'] === organizationId);
  expect(told('members.provisioned').map(({ payload }) => payload['members'])).toStrictEqual([
    userIds
      .slice(0, 2)
      .map((userId) => ({ userId, roleId: service.rbac.roleId(organizationId, 'Viewer') }))
      .toSorted(byInvitation),
  ]);
  expect(told('directory.changed').at(-1)?.payload['people']).toMatchObject([{ userId: userIds[0] }]);

  function byInvitation(one: { userId: string }, other: { userId: string }): number {
    const of = ({ userId }: { userId: string }) => provisioned.find((person) => person.userId === userId)?.invitation.id ?? '';
    return of(one) < of(other) ? -1 : 1;
  }
});
