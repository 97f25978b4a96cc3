import { expect, test } from '@jest/globals';
import { isOwnOperation } from './redirect-uri.ts';

const start = 'api/auth/codehost?action=connect';

test('an address is an operation of the platform however it is spelt', () => {
  const plain = [`/${start}`, `//${start}`, `/x/../${start}`, '/API/auth/codehost', '/graphql', '/api'];
  const encoded = ['/%61pi/auth', '/x/%2e%2e%2fapi/auth', '/x%5c..%5capi/auth', '/x%3f%2f..%2fapi/auth', '/x%23/..%2fapi', '/%zz/api'];
  const ended = ['/graphql%3fquery=x', '/graphql%23', '/api;v=1', '/api%00'];
  for (const base of ['https://iam.example', 'https://iam.example/iam'])
    for (const path of [...plain, ...encoded, ...ended]) expect(isOwnOperation(base + path, base)).toStrictEqualFor(base + path, true);
  expect(isOwnOperation(`HTTPS://IAM.example:443/${start}`, 'https://iam.example')).toBe(true);
});

test('pages of the platform and addresses of others are none', () => {
  const addresses = [
    'https://app.example/api/auth/callback',
    'https://iam.example/apis',
    'https://iam.example/shop/api',
    'com.example.app:/api',
  ];
  for (const address of [...addresses, 'https://iam.example:8443/api', 'http://127.0.0.1/api/callback'])
    expect(isOwnOperation(address, 'https://iam.example')).toStrictEqualFor(address, false);
});
