import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const prefix = 'tessera-';

/** A new private folder for unix sockets. Their paths may have 107 bytes at most (macOS: 103), and a deep TMPDIR takes most of them. */
export function newSocketFolder(purpose = ''): string {
  return mkdtempSync(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), `${prefix}${purpose}`));
}

/** The same for a stack, which notes it in its data folder: what a killed launcher left is removed by the next. */
export function newStackSockets(dataDir: string): string {
  const note = join(dataDir, 'sockets');
  const former = readOr(note, '');
  if (basename(former).startsWith(prefix)) rmSync(former, { recursive: true, force: true });
  const folder = newSocketFolder();
  writeFileSync(note, folder, { mode: 0o600 });
  return folder;
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
