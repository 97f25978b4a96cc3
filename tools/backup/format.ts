/**
 * A backup is gzipped text with one line for each thing, so that a person can read it and a
 * truncated one is noticed: M manifest, then for each table T and its rows R, sequences S, and E.
 */
import type { DatabaseService } from '../services.ts';

export const formatVersion = 1;

export interface Manifest {
  readonly format: number;
  /** Of the code that wrote it. */
  readonly version: string;
  /** When each database was seen; one moment when all services share a database. */
  readonly seenAt: Readonly<Record<DatabaseService, string>>;
  readonly migrations: Readonly<Record<DatabaseService, readonly string[]>>;
  /** Ids of the values of KEYS_ENCRYPTION_KEY that are needed. The values are never here. */
  readonly encryptionKeyIds: readonly string[];
}

export interface TableHead {
  readonly service: DatabaseService;
  readonly table: string;
  readonly columns: readonly string[];
}

export interface SequenceValue {
  readonly service: DatabaseService;
  readonly sequence: string;
  readonly value: string;
}

export interface End {
  readonly rows: Readonly<Record<string, number>>;
  /** Of every line before. */
  readonly sha256: string;
}
