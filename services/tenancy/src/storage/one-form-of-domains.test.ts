/** Migration 020 runs on addresses as the release before stored them. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { migrate } from '@tessera/kernel/migrations';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { createTestDatabase } from '../../../../test/support/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
const testDatabase = await createTestDatabase();
function migrateTo(last: string) {
  const to = join(folder, last);
  const filter = (path: string) => !/^\d{3}_/.test(basename(path)) || basename(path).slice(0, 3) <= last;
  cpSync(fileURLToPath(new URL('../../migrations', import.meta.url)), to, { recursive: true, filter });
  return migrate({ url: testDatabase.urls.tenancy, schema: 'tenancy', folder: to });
}
await migrateTo('019');
const db = createDatabase({ url: testDatabase.urls.tenancy, schema: 'tenancy', rlsEnabled: true });
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true });
});

test('migration 020 gives the form to one open invitation of each organization, however many spellings were invited', async () => {
  async function organization(...emails: readonly string[]): Promise<string> {
    const id = newId();
    await db.query(sql(`INSERT INTO organizations (id, name, slug, created_by) VALUES ($1, 'Lab', $2, $3)`), [id, id, newId()]);
    for (const email of emails)
      await db.query(
        sql(`INSERT INTO organization_invitations (id, organization_id, email, role_id, token_hash, status, invited_by, expires_at)
             VALUES ($1, $2, $3, $4, sha256($5::text::bytea), 'pending', $4, now() + interval '1 day')`),
        [newId(), id, email, newId(), newId()],
      );
    return id;
  }
  const mixed = await organization('a@xn--tda.ö.example', 'a@ü.xn--nda.example');
  const formed = await organization('a@xn--tda.ö.example', 'a@ü.ö.example');
  const alone = await organization('a@ü.xn--nda.example');
  expect(await migrateTo('020')).toStrictEqual(['020_one_form_of_domains']);
  const emails = sql('SELECT email FROM organization_invitations WHERE organization_id = $1 ORDER BY id');
  const of = async (id: string) => (await db.query<{ email: string }>(emails, [id])).map(({ email }) => email);
  expect(await of(mixed)).toStrictEqual(['a@ü.ö.example', 'a@ü.xn--nda.example']);
  expect(await of(formed)).toStrictEqual(['a@xn--tda.ö.example', 'a@ü.ö.example']);
  expect(await of(alone)).toStrictEqual(['a@ü.ö.example']);
});
