import { expect, test } from '@jest/globals';
import { clientAddress, limitKey, parseTrustedProxies, trustNoProxy } from './address.ts';

test('without trusted proxies X-Forwarded-For is ignored', () => {
  expect(clientAddress('198.51.100.7', '203.0.113.1', trustNoProxy)).toBe('198.51.100.7');
  expect(clientAddress('::ffff:198.51.100.7', '203.0.113.1', parseTrustedProxies(''))).toBe('198.51.100.7');
});

test('with one trusted hop only the last entry of X-Forwarded-For counts', () => {
  const oneHop = parseTrustedProxies('1');
  expect(clientAddress('10.0.0.1', '1.1.1.1, 2.2.2.2, 203.0.113.9', oneHop)).toBe('203.0.113.9');
  expect(clientAddress('10.0.0.1', undefined, oneHop)).toBe('10.0.0.1');
});

test('with trusted networks the last address outside of them is that of the client', () => {
  const networks = parseTrustedProxies('10.0.0.0/8, fd00::/8, 192.0.2.7');
  expect(clientAddress('10.0.0.1', '6.6.6.6, 203.0.113.9, 192.0.2.7, 10.2.3.4', networks)).toBe('203.0.113.9');
  expect(clientAddress('203.0.113.50', '6.6.6.6', networks)).toBe('203.0.113.50');
  expect(clientAddress('fd00::1', '2001:db8::5', networks)).toBe('2001:db8::5');
  expect(clientAddress('::ffff:10.0.0.1', '203.0.113.9:4711', networks)).toBe('203.0.113.9');
});

test('an entry that is no address ends the search at the last known proxy', () => {
  expect(clientAddress('10.0.0.1', '203.0.113.9, unknown', parseTrustedProxies('3'))).toBe('10.0.0.1');
  expect(clientAddress('10.0.0.1', ', ,', parseTrustedProxies('3'))).toBe('10.0.0.1');
});

test('parseTrustedProxies refuses a setting that is neither hops nor networks', () => {
  for (const wrong of ['everybody', '10.0.0.0/33', '10.0.0.0/8/1', '10.0.0.0/x', '::1/129', '10.0.0.1,'])
    expect(() => parseTrustedProxies(wrong)).toThrow(/neither an address nor a network/);
});

test('limitKey is an IPv4 address or an IPv6 /64', () => {
  expect(limitKey('203.0.113.9')).toBe('203.0.113.9');
  expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe(limitKey('2001:0DB8:1:2:ffff::1'));
  expect(limitKey('2001:db8::1')).toBe(limitKey('2001:db8:0:0:9::'));
  expect(limitKey('2001:db8:0:1::1')).not.toBe(limitKey('2001:db8:0:2::1'));
  expect(limitKey('::1')).toBe('0:0:0:0::/64');
});
