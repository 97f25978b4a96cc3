import { failures } from '@tessera/kernel/errors';
import { type Implementation, implement } from '@tessera/kernel/grpc';
import type { Database } from '@tessera/kernel/postgres';
import { listRevocations } from '../../storage/revocations.ts';

/** What verifiers pull: refused API-key tokens and refused signing keys. */
export function revocationsSource(db: Database, clock: () => Date) {
  return {
    name: 'keys',
    list: async ({ cursor }: { readonly cursor: string }) => {
      if (!/^\d{0,20}$/.test(cursor)) throw failures.badInput();
      return listRevocations(db, cursor, clock());
    },
  };
}

export function revocationsService(source: ReturnType<typeof revocationsSource>): Implementation {
  return implement('revocation.v1.Revocations', { list: (request) => source.list(request) });
}
