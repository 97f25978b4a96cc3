/** What we had rbac change counts here at once, though no notice of it ever came. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRemoteAuthorizer } from '@tessera/kernel/authorization';
import { newId } from '@tessera/kernel/ids';
import { createNotices } from '@tessera/kernel/notices';
import { FakeRbac } from '../testing/fake-rbac.ts';
import { announcing } from './roles.ts';

const changes = ['changeMemberRole', 'endMembership', 'endMemberships'] as const;

for (const name of changes) {
  it(`${name} is followed by fresh decisions in that organization, and in no other`, async () => {
    const notices = createNotices({ logger: { error: assert.fail, warn: assert.fail } });
    let asked = 0;
    const client = {
      isAuthorizedMany: async ({ checks }: { checks: readonly object[] }) => {
        asked += checks.length;
        return { decisions: checks.map(() => ({ authorized: true, reason: '' })) };
      },
    };
    const authorizer = createRemoteAuthorizer({ client, notices, maxAgeMs: 60_000 });
    const [userId, changed, other] = [newId(), newId(), newId()];
    const decide = (id: string) =>
      authorizer.check([
        {
          subject: { type: 'session', userId, tokenId: newId() },
          scope: { tenant: 'organization', id },
          resource: 'Role',
          action: 'Query',
        },
      ]);
    for (const id of [changed, other, changed, other]) await decide(id);
    assert.equal(asked, 2, 'the others are remembered');
    const empty = { id: '', name: '', isBuiltIn: false, metadataJson: '', createdAt: '', updatedAt: '' };
    const rbac = {
      ...new FakeRbac().roles,
      changeMemberRole: async () => empty,
      endMembership: async () => ({}),
      endMemberships: async () => ({}),
    };
    const roles = announcing(rbac, notices);
    const scope = { tenant: 'organization', id: changed };
    if (name === 'changeMemberRole')
      await roles.changeMemberRole({ actor: { type: 'session', userId, tokenId: newId(), scopes: [] }, scope, userId, roleId: newId() });
    if (name === 'endMembership') await roles.endMembership({ scope, userId });
    if (name === 'endMemberships') await roles.endMemberships({ userId, organizationIds: [changed] });
    await decide(other);
    assert.equal(asked, 2);
    await decide(changed);
    assert.equal(asked, 3);
    await notices.close();
  });
}
