import { expect, test } from '@jest/globals';
import { endOf, linesOf, trustChange } from './connection.ts';

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

test('what is newly believed is told from what is taken back, also where one value replaces another', () => {
  const trust = (linkOnProvenDomain: boolean, ...trustedAcr: string[]) => ({ linkOnProvenDomain, trustedAcr });
  const same = { links: false, counts: false, isTakenBack: false };
  expect(trustChange(trust(true, 'mfa'), trust(true, 'mfa'))).toStrictEqual(same);
  expect(trustChange(trust(false), trust(true, 'mfa'))).toStrictEqual({ links: true, counts: true, isTakenBack: false });
  expect(trustChange(trust(true, 'mfa'), trust(false, 'mfa'))).toStrictEqual({ ...same, isTakenBack: true });
  expect(trustChange(trust(true, 'mfa'), trust(true, 'MFA'))).toStrictEqual({ links: false, counts: true, isTakenBack: true });
});
