import { expect, test } from '@jest/globals';
import { loopbackAddress } from './loopback.ts';

test('a one-time code goes to a loopback address only', () => {
  for (const address of ['http://127.0.0.1:8123/done?nonce=1', 'http://[::1]:9/', 'http://localhost/'])
    expect(loopbackAddress(address)?.href).toBe(address);
  for (const address of [
    undefined,
    '/settings',
    'https://127.0.0.1/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1@evil.example/',
    'http://user:pw@127.0.0.1/',
    'http://evil.example/',
    'javascript:alert(1)',
  ])
    expect(loopbackAddress(address)).toBeUndefined();
});
