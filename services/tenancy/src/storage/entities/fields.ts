import { column, timestamp } from '@tessera/kernel/postgres';

/** A free-form JSON object. */
export type JsonObject = Record<string, unknown>;

/** Sorts by the rules of a language, so that 'Ä' comes next to 'A'. */
export const languageCollation = 'und-x-icu';
/** Compares byte by byte. */
export const byteCollation = 'C';

export function name() {
  return column.text().collation(languageCollation);
}

export function bytes() {
  return column.text().collation(byteCollation);
}

/** Postgres computes the column. `nullable` makes it optional in the type of an INSERT. */
export function generatedBytes(expression: string) {
  return bytes().nullable().generated(`${expression} stored`);
}

export function metadata() {
  return column.json<JsonObject>().defaultRaw(`'{}'`);
}

export function dates() {
  return {
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
    deletedAt: timestamp().nullable(),
  };
}

/**
 * A person's name and address, which every pivot of people repeats: any page of a large tenant then
 * reads one index.
 */
export function personFields() {
  return {
    name: name(),
    email: bytes().nullable(),
    userCreatedAt: timestamp(),
    userUpdatedAt: timestamp(),
    joinedAt: timestamp().defaultRaw('now()'),
    /** The text that a search looks in. Every index for an order includes it. */
    search: generatedBytes(`(lower(name) || '\n' || coalesce(email, ''))`),
  };
}
