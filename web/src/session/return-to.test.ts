import { expect, test } from '@jest/globals';
import { home, safeReturn } from './return-to.ts';

const origin = 'https://iam.example.com';

test.each(['/console', '/console/members?page=2#top', '/invitations/accept', '/auth/verify-email', '/api-docs#/me/getMe', '/graphql'])(
  '%s is a page to return to',
  (path) => {
    expect(safeReturn(path, origin)).toBe(path);
  },
);

test.each([
  undefined,
  '',
  'console',
  'https://evil.example/',
  'https://iam.example.com/console',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  '/api/auth/codehost?action=connect',
  '/%61pi/auth/codehost?action=connect',
  '/console/../api/me',
  '/API/me',
  '/graphql?query=x',
  '/graphql/',
  '/%67raphql?query=x',
  '/graphql/../api/me',
  '/auth/callback?code=stolen',
  '/%zz',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/auth//callback?code=stolen',
  '/auth/%2fcallback?code=stolen',
  '/console/..%2fapi/me',
  `/console?next=${'a'.repeat(2_000)}`,
])('%s is none: the sign-in leads home', (wanted) => {
  expect(safeReturn(wanted, origin)).toBe(home);
});
