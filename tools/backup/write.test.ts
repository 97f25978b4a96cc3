import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openPrivate } from './write.ts';

test('a backup goes into a new file for its owner only, whatever stood in its place', async () => {
  using cleanup = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-backup-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const [readable, elsewhere, planted] = [at('readable'), at('elsewhere'), at('planted')];
  for (const file of [readable, elsewhere]) {
    writeFileSync(file, 'before');
    chmodSync(file, 0o644);
  }
  symlinkSync(elsewhere, planted);
  const umask = process.umask(0);
  cleanup.defer(() => process.umask(umask));
  for (const file of [readable, planted, at('fresh')]) {
    const stream = openPrivate(file);
    stream.end('the backup');
    await once(stream, 'close');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toStrictEqual(['the backup', 0o600]);
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe('before');
});
