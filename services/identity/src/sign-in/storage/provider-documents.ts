/** Discovery documents and key sets of organizations' providers, for all replicas. */
import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

export type KeptDocument = { readonly document: unknown; readonly readAtMs: number };

/** Shared by the replicas, and there after a restart. */
export type DocumentStore = {
  find(kind: string, address: string): Promise<KeptDocument | undefined>;
  keep(kind: string, address: string, kept: KeptDocument): Promise<void>;
};

const longestDocument = 131_072;
const find = statement('identity_find_provider_document', ({ digest }: Params<{ digest: Buffer }>) =>
  query.selectFrom('provider_documents').where('digest', '=', digest).select(['document', 'readAt']),
);

function digestOf(kind: string, address: string): Buffer {
  return hashToken(`${kind} ${address}`);
}

export function createDocumentStore(database: Pick<Database, 'query' | 'transaction'>): DocumentStore {
  return {
    async find(kind, address) {
      const [row] = await database.query(find, { digest: digestOf(kind, address) });
      return row === undefined ? undefined : { document: JSON.parse(row.document), readAtMs: Date.parse(row.readAt) };
    },
    async keep(kind, address, { document, readAtMs }) {
      const json = JSON.stringify(document);
      if (Buffer.byteLength(json) > longestDocument) return;
      const values = { document: json, readAt: new Date(readAtMs).toISOString() };
      const insert = query.insertInto('provider_documents').values({ digest: digestOf(kind, address), ...values });
      // Of two replicas the one that has read later.
      const later = insert.onConflict((conflict) =>
        conflict.column('digest').doUpdateSet(values).where('provider_documents.readAt', '<', values.readAt),
      );
      await database.transaction((tx) => tx.execute(later));
    },
  };
}

export async function deleteOldDocuments(tx: Transaction, before: Date): Promise<void> {
  await tx.execute(query.deleteFrom('provider_documents').where('readAt', '<', before.toISOString()));
}
