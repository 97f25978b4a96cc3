import { expect, test } from '@jest/globals';
import { interactionOf } from './interaction-path.ts';

const origin = 'https://iam.example.com';

test.each(['/auth/sign-in?interaction=abc', '/auth/project/consent?interaction=abc', '/auth/device?interaction=abc'])(
  '%s leads back to the sign-in of an app',
  (path) => {
    expect(interactionOf(path, origin)).toBe('abc');
  },
);

test.each([
  undefined,
  '/console?interaction=abc',
  '/auth/sign-in',
  'https://evil.example/auth/sign-in?interaction=abc',
  '//evil.example/auth/sign-in?interaction=abc',
  '/auth/sign-in/../../api/me?interaction=abc',
  '/auth/callback?interaction=abc',
])('%s leads back to no app', (path) => {
  expect(interactionOf(path, origin)).toBeUndefined();
});
