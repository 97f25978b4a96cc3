import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const prefix = 'tessera-';

/**
 * A new private folder for unix sockets. Their paths have at most 107 bytes (macOS: 103), so a deep
 * TMPDIR is not usable.
 */
export function newSocketFolder(purpose = '', parent = tmpdir()): string {
  return mkdtempSync(join(parent.length > 60 ? '/tmp' : parent, `${prefix}${purpose}`));
}

/**
 * The same for a stack. Its path is written to the data folder, so that the next start removes what
 * a killed launcher left.
 */
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
