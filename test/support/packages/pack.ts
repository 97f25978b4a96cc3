/** `npm pack` of one package at a time: each builds its dist/ anew, which others may be reading. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../tools/stack/repository.ts';

const lock = join(repositoryFolder, 'node_modules', '.packing');

/** Returns the packed file. */
export function packPackage(name: string, destination: string): string {
  const args = ['pack', '--silent', '--no-audit', '--no-fund', '--pack-destination', destination];
  takeLock();
  try {
    const packed = execFileSync('npm', args, { cwd: join(repositoryFolder, 'packages', name), encoding: 'utf8' });
    return join(destination, packed.trim().split('\n').at(-1) ?? '');
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Waits until no other test packs. The file of a process that has ended counts for nothing. */
function takeLock(): void {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!isHeld()) rmSync(lock, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

function isHeld(): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    // Empty between its creation and the write.
    return holder === '' || process.kill(Number(holder), 0);
  } catch {
    return false;
  }
}
