import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveKey, deriveToken, deviceKey, hashToken, newOpaqueToken } from './opaque-token.ts';

test('a token carries 256 bits and never repeats', () => {
  const tokens = new Set(Array.from({ length: 1000 }, newOpaqueToken));
  assert.equal(tokens.size, 1000);
  for (const token of tokens) assert.equal(Buffer.from(token, 'base64url').length, 32);
});

test('a successor depends on the key and on the spent token, and repeats for the same pair', () => {
  const [refresh, mail] = [deriveKey('secret', 'refresh'), deriveKey('secret', 'mail')];
  assert.equal(deriveToken(refresh, 'spent'), deriveToken(refresh, 'spent'));
  assert.notEqual(deriveToken(refresh, 'spent'), deriveToken(mail, 'spent'));
  assert.notEqual(deriveToken(refresh, 'spent'), deriveToken(refresh, 'other'));
  assert.notEqual(deriveToken(deriveKey('other', 'refresh'), 'spent'), deriveToken(refresh, 'spent'));
});

test('only a digest of the token is kept', () => {
  const token = newOpaqueToken();
  assert.equal(hashToken(token).length, 32);
  assert.ok(!hashToken(token).toString('base64url').includes(token));
});

test('user agent and address can not be shifted into each other', () => {
  assert.notDeepEqual(deviceKey('agent1', '27.0.0.1'), deviceKey('agent', '127.0.0.1'));
});
