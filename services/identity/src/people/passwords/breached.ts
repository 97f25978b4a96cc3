/**
 * Whether a password is known from a breach: by a range API with k-anonymity (only the first five
 * digits of the SHA-1 leave), or in a local file of SHA-1 hashes. Off unless one is configured.
 *
 * A list that does not answer refuses no password: it must not be able to stop registrations.
 * The log says so.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { boundedFetch } from '@tessera/kernel/guard';

export type BreachedPasswords = {
  /** False too when the list does not answer. */
  has(password: string): Promise<boolean>;
  stop(): Promise<void>;
};

export type BreachedOptions = {
  readonly url: string | undefined;
  readonly file: string | undefined;
  readonly logger: { warn(details: object, message: string): void };
  readonly timeoutMs?: number;
};

type List = { has(hash: string): Promise<boolean>; stop(): Promise<void> };

const prefixLength = 5;
const hashLength = 40;
/** Longer than two lines, so that each read has a whole hash after a line break. */
const windowBytes = 256;
const line = /^[0-9A-Fa-f]{40}(?::\d+)?$/;

export async function openBreachedPasswords({ url, file, logger, timeoutMs = 1_500 }: BreachedOptions): Promise<BreachedPasswords> {
  const list = url === undefined ? await openList(file) : rangeApi(url, timeoutMs);
  return {
    async has(password) {
      if (list === undefined) return false;
      const hash = createHash('sha1').update(password.normalize('NFC'), 'utf8').digest('hex').toUpperCase();
      return list.has(hash).catch((error: unknown) => {
        logger.warn({ err: error }, 'the list of breached passwords does not answer: a password was accepted without it');
        return false;
      });
    },
    stop: async () => list?.stop(),
  };
}

/** `<url>/<five digits>` answers lines of `<the other 35>:<count>`; a count of 0 is padding. */
function rangeApi(url: string, timeoutMs: number): List {
  return {
    async has(hash) {
      const [prefix, suffix] = [hash.slice(0, prefixLength), hash.slice(prefixLength)];
      const signal = AbortSignal.timeout(timeoutMs);
      const address = `${url.replace(/\/+$/, '')}/${prefix}`;
      const response = await boundedFetch(address, { method: 'GET', headers: { 'add-padding': 'true' }, signal });
      if (response.status !== 200) throw new Error(`the range API answered ${response.status}`);
      const lines = (await response.text()).split(/\r?\n/);
      return lines.some((entry) => entry.slice(0, suffix.length).toUpperCase() === suffix && !/:0*$/.test(entry));
    },
    stop: async () => undefined,
  };
}

/** Throws when the file is not there, or is no list of hashes in order. */
async function openList(file: string | undefined): Promise<List | undefined> {
  if (file === undefined) return undefined;
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new Error('BREACHED_PASSWORDS_FILE cannot be read', { cause });
  });
  const { size } = await handle.stat();
  const [first = '', second = first] = (await readAt(handle, 0)).split(/\r?\n/);
  if (!line.test(first) || first.slice(0, hashLength).toUpperCase() > second.slice(0, hashLength).toUpperCase()) {
    await handle.close();
    throw new Error('BREACHED_PASSWORDS_FILE must hold SHA-1 hashes, one a line, in their order');
  }
  return { has: (hash) => search(handle, size, hash), stop: () => handle.close() };
}

async function readAt(handle: FileHandle, position: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(windowBytes), 0, windowBytes, position);
  return buffer.toString('latin1', 0, bytesRead);
}

/** By halves: a list of 40 GB takes about 36 reads. */
async function search(handle: FileHandle, size: number, hash: string): Promise<boolean> {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // The first line that begins at the middle or later.
    const text = await readAt(handle, Math.max(0, middle - 1));
    const begin = middle === 0 ? 0 : text.indexOf('\n') + 1;
    const found = text.slice(begin, begin + hashLength).toUpperCase();
    const isLast = middle > 0 && begin === 0;
    if (!isLast && found === hash) return true;
    const start = middle === 0 ? 0 : middle - 1 + begin;
    if (!isLast && found.length === hashLength && found < hash) low = start + 1;
    else high = middle;
  }
  return false;
}
