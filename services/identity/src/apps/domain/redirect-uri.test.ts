import { expect, test } from '@jest/globals';
import { isOwnAddress } from './redirect-uri.ts';

const own = { appUrl: 'https://iam.example/iam', frontendUrl: 'https://login.example' };

test('every address on the origin of the platform or of its pages is its own, however it is spelt', () => {
  const paths = ['', '/', '/console', '/auth/x', '/oauth/logout', '/api/auth/codehost?action=connect', '/x/%2e%2e%2fapi', '/%zz', '/iam'];
  for (const origin of ['https://iam.example', 'HTTPS://IAM.example:443', 'https://login.example'])
    for (const path of paths) expect(isOwnAddress(origin + path, own)).toStrictEqualFor(origin + path, true);
});

test('addresses of others are not', () => {
  const addresses = [
    'https://app.example/api/auth/callback',
    'https://iam.example:8443/console',
    'https://iam.example.evil.example/',
    'http://iam.example/console',
    'com.example.app:/api',
    'http://127.0.0.1/api/callback',
  ];
  for (const address of addresses) expect(isOwnAddress(address, own)).toStrictEqualFor(address, false);
});
