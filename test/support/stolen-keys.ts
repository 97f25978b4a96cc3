/** What a thief with the database and KEYS_ENCRYPTION_KEY has: every signing key. */
import { createDecipheriv, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import pg from 'pg';
import type { SharedStack } from './stack.ts';

export type StolenKey = {
  readonly kid: string;
  readonly tenant: string;
  readonly scopeId: string;
  readonly status: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
};

type Place = Pick<SharedStack, 'adminDatabaseUrl' | 'env'>;

export async function withAdmin<Result>(
  { adminDatabaseUrl }: Pick<Place, 'adminDatabaseUrl'>,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: adminDatabaseUrl });
  await client.connect();
  return use(client).finally(() => client.end());
}

type Row = { kid: string; tenant: string; scopeId: string; status: string; sealed: Buffer };

export function stealKeys(stack: Place): Promise<StolenKey[]> {
  return withAdmin(stack, async (client) => {
    const { rows } = await client.query<Row>(
      `SELECT kid, tenant, scope_id AS "scopeId", status, private_key AS sealed FROM keys.signing_keys WHERE private_key IS NOT NULL`,
    );
    const encryptionKey = Buffer.from(String(stack.env.keys.KEYS_ENCRYPTION_KEY), 'base64');
    return rows.map(({ sealed, ...row }) => {
      const opened = createDecipheriv('aes-256-gcm', encryptionKey, sealed.subarray(1, 13), { authTagLength: 16 })
        .setAAD(Buffer.from(`signing_keys ${row.kid}`))
        .setAuthTag(sealed.subarray(13, 29));
      const der = Buffer.concat([opened.update(sealed.subarray(29)), opened.final()]);
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      return { ...row, privateKey, publicKey: createPublicKey(privateKey) };
    });
  });
}

/** The numbers that make a private key private, as a JWK writes them. */
export function privateNumbersOf({ privateKey }: StolenKey): readonly string[] {
  const { d = '', p = '', q = '', dp = '', dq = '', qi = '' } = privateKey.export({ format: 'jwk' });
  return [d, p, q, dp, dq, qi];
}
