import { expect, test } from '@jest/globals';
import { deriveKey, deriveToken, deviceKey, hashToken, newOpaqueToken } from './opaque-token.ts';

test('a token carries 256 bits and never repeats', () => {
  const tokens = new Set(Array.from({ length: 1000 }, newOpaqueToken));
  expect(tokens.size).toBe(1000);
  for (const token of tokens) expect(Buffer.from(token, 'base64url').length).toBe(32);
});

test('a successor depends on the key and on the spent token, and repeats for the same pair', () => {
  const [refresh, mail] = [deriveKey('secret', 'refresh'), deriveKey('secret', 'mail')];
  expect(deriveToken(refresh, 'spent')).toBe(deriveToken(refresh, 'spent'));
  expect(deriveToken(refresh, 'spent')).not.toBe(deriveToken(mail, 'spent'));
  expect(deriveToken(refresh, 'spent')).not.toBe(deriveToken(refresh, 'other'));
  expect(deriveToken(deriveKey('other', 'refresh'), 'spent')).not.toBe(deriveToken(refresh, 'spent'));
});

test('only a digest of the token is kept', () => {
  const token = newOpaqueToken();
  expect(hashToken(token).length).toBe(32);
  expect(hashToken(token).toString('base64url')).not.toContain(token);
});

test('user agent and address can not be shifted into each other', () =>
  expect(deviceKey('agent1', '27.0.0.1')).not.toEqual(deviceKey('agent', '127.0.0.1')));
