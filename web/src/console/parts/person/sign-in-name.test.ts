import { expect, test } from '@jest/globals';
import { signInNameOf } from './sign-in-name.ts';

const address = { provider: 'email', providerId: 'ada@example.com', isPrimary: true, isVerified: true };
const other = { provider: 'email', providerId: 'old@example.com', isPrimary: false, isVerified: true };
const codehost = { provider: 'codehost', providerId: '815', isPrimary: false, isVerified: true };

test('a person is told apart by their primary email address', () => {
  expect(signInNameOf([codehost, other, address])).toStrictEqual({ kind: 'known', text: 'ada@example.com' });
});

test('a person without an email address is told apart by the id at their provider', () => {
  expect(signInNameOf([codehost])).toStrictEqual({ kind: 'known', text: 'codehost: 815' });
});

test('a person without a way to sign in is known as such', () => {
  expect(signInNameOf([])).toStrictEqual({ kind: 'none' });
});

test('an address that the caller may not read is not taken for a missing one', () => {
  expect(signInNameOf(undefined)).toStrictEqual({ kind: 'hidden' });
  expect(signInNameOf([{ ...address, providerId: null }])).toStrictEqual({ kind: 'hidden' });
});
