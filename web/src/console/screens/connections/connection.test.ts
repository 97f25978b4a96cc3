import { expect, test } from '@jest/globals';
import { endOf, linesOf } from './connection.ts';

test('the preview applies the lines that a sign-in would: whole values, exactly', () => {
  const line = (claim: string, value: string) => ({ claim, value, roleId: `${claim} ${value}`, grantId: null });
  const mapping = [line('groups', 'admins'), line('groups', 'Admins'), line('groups', 'adm'), line('department', 'admins')];
  const came = [{ name: 'groups', values: ['staff', 'admins'], isCut: false }];
  expect(linesOf(mapping, came).map(({ roleId }) => roleId)).toStrictEqual(['groups admins']);
});

test('a certificate is named before it ends', () => {
  const now = Date.parse('2026-11-26T00:00:00Z');
  expect([endOf('2026-11-25T00:00:00Z', now), endOf('2026-12-20T00:00:00Z', now), endOf('2027-12-20T00:00:00Z', now)]).toStrictEqual([
    'ended',
    'soon',
    'good',
  ]);
});
