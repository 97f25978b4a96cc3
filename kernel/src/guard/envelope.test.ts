import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createEnvelope } from './envelope.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const plain = Buffer.from('a private key');

describe('the envelope', () => {
  test('the envelope opens a sealed value, and never seals a value twice into the same bytes', () => {
    const envelope = createEnvelope([newKey]);
    const [first, second] = [envelope.seal(plain, 'row 1'), envelope.seal(plain, 'row 1')];
    expect(envelope.open(first, 'row 1')).toStrictEqual(plain);
    expect(first.sealed).not.toEqual(second.sealed);
    expect(first.sealed.includes(plain)).toBe(false);
  });

  test('the envelope opens with each of its keys and seals with the first', () => {
    const before = createEnvelope([oldKey]).seal(plain, 'row 1');
    const both = createEnvelope([newKey, oldKey]);
    expect(both.open(before, 'row 1')).toStrictEqual(plain);
    expect(createEnvelope([newKey]).open(both.seal(plain, 'row 1'), 'row 1')).toStrictEqual(plain);
    expect(() => createEnvelope([newKey]).open(before, 'row 1')).toThrow(/is not configured/);
  });

  test('the envelope refuses a sealed value of another row', () => {
    const envelope = createEnvelope([newKey]);
    expect(() => envelope.open(envelope.seal(plain, 'row 1'), 'row 2')).toThrow();
  });

  test('the envelope refuses a sealed value with any bit changed', () => {
    const envelope = createEnvelope([newKey]);
    const { sealed, encryptionKeyId } = envelope.seal(plain, 'row 1');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => envelope.open({ sealed: changed, encryptionKeyId }, 'row 1')).toThrow();
    }
    expect(() => envelope.open({ sealed: sealed.subarray(0, 20), encryptionKeyId }, 'row 1')).toThrow();
  });
});
