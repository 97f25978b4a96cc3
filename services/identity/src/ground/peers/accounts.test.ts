import { expect, test } from '@jest/globals';
import { withSharedAccounts } from './accounts.ts';

function accountOf(ownerId: string) {
  return {
    id: `account of ${ownerId}`,
    ownerId,
    type: 'personal',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}

test('people who ask at the same moment share one call, and each gets their own accounts', async () => {
  const calls: (readonly string[])[] = [];
  const tenancy = withSharedAccounts({
    listAccounts: async ({ userIds }: { readonly userIds: readonly string[] }) => {
      calls.push(userIds);
      return { accounts: userIds.filter((id) => id !== 'nobody').map(accountOf) };
    },
  });
  const asked = ['ada', 'nobody', 'grace', 'ada'];
  const answers = await Promise.all(asked.map((id) => tenancy.listAccounts({ userIds: [id] })));
  expect(calls).toStrictEqual([['ada', 'nobody', 'grace']]);
  expect(answers.map(({ accounts }) => accounts.map(({ ownerId }) => ownerId))).toStrictEqual([['ada'], [], ['grace'], ['ada']]);
});
