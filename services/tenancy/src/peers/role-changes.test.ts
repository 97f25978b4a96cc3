/** A role change that we requested counts at once, even if rbac's own notice is lost. */

import { expect, test } from '@jest/globals';
import { createRemoteAuthorizer } from '@tessera/kernel/authorization';
import { newId } from '@tessera/kernel/ids';
import { createNotices } from '@tessera/kernel/notices';
import { FakeRbac } from '../testing/fake-rbac.ts';
import { withRoleChangeNotices } from './role-changes.ts';

const noticeSecret = 'a secret of notices that is long enough';

const changes = ['changeMemberRole', 'endMembership', 'endMemberships'] as const;

for (const name of changes)
  test(`${name} publishes a tenant-changed notice for its organization and no other`, async () => {
    const unexpected = (...told: readonly unknown[]) => {
      throw new Error(`logged ${JSON.stringify(told)}`);
    };
    const notices = createNotices({ secret: noticeSecret, logger: { error: unexpected, warn: unexpected } });
    let checked = 0;
    const client = {
      isAuthorizedMany: async ({ checks }: { checks: readonly object[] }) => {
        checked += checks.length;
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
    // The other decisions are cached.
    expect(checked).toBe(2);
    const empty = { id: '', name: '', isBuiltIn: false, metadataJson: '', createdAt: '', updatedAt: '' };
    const rbac = {
      ...new FakeRbac().roles,
      changeMemberRole: async () => empty,
      endMembership: async () => ({}),
      endMemberships: async () => ({}),
    };
    const roles = withRoleChangeNotices(rbac, notices);
    const scope = { tenant: 'organization', id: changed };
    if (name === 'changeMemberRole')
      await roles.changeMemberRole({ actor: { type: 'session', userId, tokenId: newId(), scopes: [] }, scope, userId, roleId: newId() });
    if (name === 'endMembership') await roles.endMembership({ scope, userId });
    if (name === 'endMemberships') await roles.endMemberships({ userId, organizationIds: [changed] });
    await decide(other);
    expect(checked).toBe(2);
    await decide(changed);
    expect(checked).toBe(3);
    await notices.close();
  });
