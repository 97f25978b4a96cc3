import { failures } from '@tessera/kernel/errors';
import type { Call } from '@tessera/kernel/grpc';
import protobuf from 'protobufjs/minimal.js';

export const maxChecks = 1_000;
/** A request of an application. Services ask for many users at once and may send more. */
const maxApplicationBytes = 1_024 * 1_024;

const manyPath = '/rbac.v1.Authorization/IsAuthorizedMany';
/** The fields of CheckMany and their wire types: `checks`, `explain` and `user_token`. */
const wireTypes: Readonly<Record<number, number>> = { 1: 2, 2: 0, 3: 2 };

/** Counts the checks as the decoder will find them. */
function countChecks(bytes: Buffer): number {
  const reader = protobuf.Reader.create(bytes);
  let checks = 0;
  while (reader.pos < reader.len && checks <= maxChecks) {
    const tag = reader.uint32();
    const [field, wireType] = [tag >>> 3, tag & 7];
    // The decoder does not look at the wire type of a field that it knows.
    if ((wireTypes[field] ?? wireType) !== wireType) throw failures.badInput();
    if (field === 1) checks += 1;
    reader.skipType(wireType);
  }
  return checks;
}

/**
 * Refuses a message before it is decoded: an empty check is two bytes, and decoded a hundred times
 * as much.
 */
export function inspect(bytes: Buffer, path: string, { application }: Call): void {
  if (application !== undefined && bytes.length > maxApplicationBytes) throw failures.tooLarge();
  if (path === manyPath && countChecks(bytes) > maxChecks)
    throw failures.validation('checks', { en: `must be at most ${maxChecks}`, de: `dürfen höchstens ${maxChecks} sein` });
}
