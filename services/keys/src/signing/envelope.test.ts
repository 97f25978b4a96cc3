import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createEnvelope } from './envelope.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const plain = Buffer.from('a private key');

describe('the envelope', () => {
  it('opens what it sealed, and never seals alike twice', () => {
    const envelope = createEnvelope([newKey]);
    const [first, second] = [envelope.seal(plain, 'row 1'), envelope.seal(plain, 'row 1')];
    assert.deepEqual(envelope.open(first, 'row 1'), plain);
    assert.notDeepEqual(first.sealed, second.sealed);
    assert.ok(!first.sealed.includes(plain));
  });

  it('opens with every key it holds, and seals with the first', () => {
    const before = createEnvelope([oldKey]).seal(plain, 'row 1');
    const both = createEnvelope([newKey, oldKey]);
    assert.deepEqual(both.open(before, 'row 1'), plain);
    assert.deepEqual(createEnvelope([newKey]).open(both.seal(plain, 'row 1'), 'row 1'), plain);
    assert.throws(() => createEnvelope([newKey]).open(before, 'row 1'), /does not hold the key/);
  });

  it('refuses what was moved to another row', () => {
    const envelope = createEnvelope([newKey]);
    assert.throws(() => envelope.open(envelope.seal(plain, 'row 1'), 'row 2'));
  });

  it('refuses whatever was changed, bit by bit', () => {
    const envelope = createEnvelope([newKey]);
    const { sealed, encryptionKeyId } = envelope.seal(plain, 'row 1');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      assert.throws(() => envelope.open({ sealed: changed, encryptionKeyId }, 'row 1'));
    }
    assert.throws(() => envelope.open({ sealed: sealed.subarray(0, 20), encryptionKeyId }, 'row 1'));
  });
});
