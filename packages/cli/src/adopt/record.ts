/**
 * What an adoption has done, in a file beside: written before each change, so that a kill at any
 * moment loses nothing, and read by `--back`.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { exitCodes, Failure } from '../failure.ts';

export type Terms = { readonly roleIds?: readonly string[] };
export type RecordState = {
  readonly version: 1;
  readonly url: string;
  readonly source: string;
  readonly product: string;
  /** The offer that was sent, or is about to be: with the same key it is made once. */
  readonly offer?: { readonly key: string; readonly terms: Terms; readonly grantId?: string };
  /** The grant that was accepted, or is about to be. */
  readonly accepted?: string;
  /** The roles that each person got, or is about to get. */
  readonly given: Readonly<Record<string, readonly string[]>>;
};
type Of = Pick<RecordState, 'url' | 'source' | 'product'>;

export type AdoptRecord = {
  readonly file: string;
  readonly state: RecordState;
  save(change: Partial<RecordState>): void;
  replace(next: RecordState): void;
  remove(): void;
};

export function openRecord(file: string, of: Of): AdoptRecord {
  let state: RecordState = readRecord(file, of) ?? { version: 1, ...of, given: {} };
  const replace = (next: RecordState) => {
    const beside = `${file}.${process.pid}`;
    rmSync(beside, { force: true });
    // A link that another account has put there is not followed.
    writeFileSync(beside, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(beside, file);
    state = next;
  };
  return {
    file,
    get state() {
      return state;
    },
    replace,
    save: (change) => replace({ ...state, ...change }),
    remove: () => rmSync(file, { force: true }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function readRecord(file: string, { url, source, product }: Of): RecordState | undefined {
  if (!existsSync(file)) return undefined;
  let state: RecordState | undefined;
  try {
    state = JSON.parse(readFileSync(file, 'utf8')) as RecordState;
  } catch {
    // Said below.
  }
  if (state?.version !== 1 || typeof state.given !== 'object' || !Object.values(state.given).every(isTexts))
    throw new Failure(`${file} is no record of an adoption. Name another with --record.`, exitCodes.usage);
  if (state.url !== url || state.source !== source || state.product !== product)
    throw new Failure(`${file} is the record of another adoption. Name another with --record.`, exitCodes.usage);
  return state;
}
