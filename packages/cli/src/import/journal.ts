/**
 * How far an import has come, beside its input, so that it goes on after an interruption: at a
 * moment the report, and then the state that says how much of the report counts.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { exitCodes, Failure } from '../failure.ts';
import type { Entry } from './person.ts';

export type Counts = { readonly created: number; readonly exists: number; readonly skipped: number; readonly invalid: number };
export const noCounts: Counts = { created: 0, exists: 0, skipped: 0, invalid: 0 };

export type State = {
  readonly version: 1;
  /** Of the input: a state counts for the same input and the same server only. */
  readonly sha256: string;
  readonly url: string;
  readonly from: string;
  /** The rows that are done. */
  readonly rows: number;
  readonly reportBytes: number;
  /** True while rows are on their way: after a crash it is not known whether they have arrived. */
  readonly isUnderWay: boolean;
  readonly counts: Counts;
};

export type Journal = {
  readonly state: State;
  /** Rows are about to be sent. */
  begin(): void;
  /** These rows are done. */
  commit(rows: number, counts: Counts, entries: readonly Entry[]): void;
  /** The import is over: the report stays, the state goes. */
  finish(): void;
  close(): void;
};

export type JournalOptions = {
  readonly file: string;
  readonly url: string;
  readonly from: string;
  readonly report: string;
  /** Forgets an earlier state. */
  readonly isRestart: boolean;
};

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

export function statePath(file: string): string {
  return `${file}.tessera-import.json`;
}

export async function openJournal({ file, url, from, report, isRestart }: JournalOptions): Promise<Journal> {
  const path = statePath(file);
  const sha256 = await hashOf(file);
  const known = isRestart ? undefined : readState(path);
  if (known !== undefined && (known.sha256 !== sha256 || known.url !== url || known.from !== from))
    throw new Failure(
      `${path} is of another content of ${file}, another server or another --from. Begin anew with --restart.`,
      exitCodes.usage,
    );
  let state: State = known ?? { version: 1, sha256, url, from, rows: 0, reportBytes: 0, isUnderWay: false, counts: noCounts };
  const before = statSync(file);
  const out = openReport(report, state.reportBytes);
  const save = (next: State) => {
    const { size, mtimeMs } = statSync(file);
    if (size !== before.size || mtimeMs !== before.mtimeMs)
      throw new Failure(`${file} was changed while it was imported. Begin anew with --restart.`);
    const beside = `${path}.${process.pid}`;
    rmSync(beside, { force: true });
    // A link that another account has put there is not followed.
    writeFileSync(beside, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(beside, path);
    state = next;
  };
  return {
    get state() {
      return state;
    },
    begin: () => save({ ...state, isUnderWay: true }),
    commit(rows, counts, entries) {
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      const bytes = text === '' ? 0 : writeSync(out, text, state.reportBytes);
      save({ ...state, rows: state.rows + rows, reportBytes: state.reportBytes + bytes, isUnderWay: false, counts });
    },
    finish: () => rmSync(path, { force: true }),
    close: () => closeSync(out),
  };
}

/** What was written after the state was saved belongs to rows that are sent again. */
function openReport(report: string, bytes: number): number {
  const isThere = bytes > 0 && existsSync(report);
  if (bytes > 0 && (!isThere || statSync(report).size < bytes))
    throw new Failure(`${report} was removed or cut. Put it back, or begin anew with --restart.`);
  const out = openSync(report, isThere ? 'r+' : 'w', 0o600);
  ftruncateSync(out, bytes);
  return out;
}

function readState(path: string): State | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as State;
    const isNumber = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
    const { created, exists, skipped, invalid } = state.counts;
    if (state.version === 1 && [state.rows, state.reportBytes, created, exists, skipped, invalid].every(isNumber)) return state;
  } catch {
    // Said below.
  }
  throw new Failure(`${path} is no state of an import. Begin anew with --restart.`, exitCodes.usage);
}
