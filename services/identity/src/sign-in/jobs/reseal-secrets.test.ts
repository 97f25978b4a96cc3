import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { deriveKeys } from '../../ground/tokens/opaque-token.ts';
import { codeOf, firstFactor, secondFactor, withTotp } from '../../testing/factors.ts';
import { registered, startIdentity } from '../../testing/service.ts';
import { createSecretsAtRest } from '../secrets-at-rest.ts';
import { factorStore, resealBatch } from './reseal-secrets.ts';

const [before, next] = ['the secret before of thirty-two letters', 'the next secret also of thirty-two letters'];
const service = await startIdentity({ AUTH_FACTOR_SECRETS: before });
const { database } = service;

function secretsOf(values: string) {
  return createSecretsAtRest(deriveKeys(values, 'second-factor'));
}
async function reseal(values: string): Promise<{ resealed: number; unreadable: number }> {
  const { resealed, unreadable } = await database.transaction((tx) => resealBatch(tx, factorStore, secretsOf(values), undefined));
  return { resealed, unreadable };
}
const keysOf = async () => {
  const rows = await database.query<{ sealedWith: string }>(
    sql(`SELECT DISTINCT sealed_with AS "sealedWith" FROM second_factors WHERE kind = 'totp'`),
    [],
  );
  return rows.map(({ sealedWith }) => sealedWith);
};
const removeAll = () => database.query(sql('DELETE FROM second_factors'), []);

describe('rotation of AUTH_FACTOR_SECRETS', () => {
  afterAll(async () => service.stop());

  test('every secret is encrypted again, and its codes stay good where only the new value is left', async () => {
    const { secret, factorId, email } = await withTotp(service);
    expect(await reseal(`${next},${before}`)).toStrictEqual({ resealed: 1, unreadable: 0 });
    expect(await keysOf()).toStrictEqual([secretsOf(next).keyId]);
    const [row] = await database.query<{ secret: Buffer; sealedWith: string }>(
      sql('SELECT secret, sealed_with AS "sealedWith" FROM second_factors WHERE id = $1'),
      [factorId],
    );
    expect(row && secretsOf(next).open(factorId, row)).toBe(secret);
    // Nothing is left, also for a second run.
    expect(await reseal(`${next},${before}`)).toStrictEqual({ resealed: 0, unreadable: 0 });
    // Back, so that the service (which has the old value alone) accepts the code.
    await reseal(`${before},${next}`);
    const { token } = await firstFactor(service, email);
    expect((await secondFactor(service, { token, method: 'totp', code: codeOf(secret) })).status).toBe(200);
    await removeAll();
  });

  test('a process that dies in the middle has changed nothing; several at once do the work once', async () => {
    for (let people = 0; people < 4; people += 1) await withTotp(service);
    const values = `${next},${before}`;
    const dies = database.transaction(async (tx) => {
      await resealBatch(tx, factorStore, secretsOf(values), undefined);
      throw new Error('the process ended');
    });
    await expect(dies).rejects.toThrow('the process ended');
    expect(await keysOf()).toStrictEqual([secretsOf(before).keyId]);
    const runs = await Promise.all([reseal(values), reseal(values), reseal(values)]);
    expect(runs.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(4);
    expect(await keysOf()).toStrictEqual([secretsOf(next).keyId]);
    await removeAll();
  });

  test('a secret whose key is missing stays as it is, is counted, and hides no other', async () => {
    const { userId } = await registered(service);
    const lost = secretsOf('a secret that was lost of thirty-two letters');
    const insert = `INSERT INTO second_factors (id, user_id, kind, name, is_confirmed, secret, sealed_with, created_at, updated_at)
      VALUES ($1, $2, 'totp', 'App', true, $3, $4, now(), now())`;
    const id = newId();
    const sealed = lost.seal(id, 'JBSWY3DPEHPK3PXP');
    await database.query(sql(insert), [id, userId, sealed.secret, sealed.sealedWith]);
    await withTotp(service);
    expect(await reseal(`${next},${before}`)).toStrictEqual({ resealed: 1, unreadable: 1 });
    expect((await keysOf()).toSorted()).toStrictEqual([lost.keyId, secretsOf(next).keyId].toSorted());
    const { resealed, isMore } = await database.transaction((tx) => resealBatch(tx, factorStore, secretsOf(next), id));
    expect([resealed, isMore]).toStrictEqual([0, false]);
    await removeAll();
  });
});
