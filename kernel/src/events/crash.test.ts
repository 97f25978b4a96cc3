import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from '../../../tools/testing/database.ts';
import { until } from '../../../tools/testing/until.ts';
import { type Database, sql } from '../postgres/index.ts';
import { appliedIn, note, openDatabase, prepare, receiver, sender } from './fixture.ts';
import { emit } from './index.ts';

let test: TestDatabase;
let tenancy: Database;
let rbac: Database;
before(async () => {
  test = await prepare();
  tenancy = openDatabase(test, 'tenancy');
  rbac = openDatabase(test, 'rbac');
});
after(async () => {
  await Promise.all([tenancy.close(), rbac.close()]);
  await test.drop();
});
beforeEach(() => Promise.all([tenancy.query(sql('TRUNCATE outbox')), rbac.query(sql('TRUNCATE applied, inbox'))]));

async function liveAndDie(point: string, values: readonly string[]): Promise<void> {
  const life = spawn(process.execPath, [
    fileURLToPath(new URL('crash.fixture.ts', import.meta.url)),
    JSON.stringify(test.urls),
    point,
    ...values,
  ]);
  const [, signal] = await once(life, 'close');
  assert.equal(signal, 'SIGKILL', `the process did not reach '${point}'`);
}

const values = ['1', '2', '3'];
const points = { emitted: [], committed: values, leased: values, handling: values, applied: values, settled: values };

describe('a process that is killed', () => {
  for (const [point, survive] of Object.entries(points)) {
    it(`when it has ${point}: afterwards ${survive.length > 0 ? 'each event is applied once, in order' : 'nothing has happened'}`, async () => {
      await liveAndDie(point, values);
      const relay = sender(tenancy, receiver(rbac));
      const later = await tenancy.transaction((tx) => emit(tx, [note('key', 'later')]));
      relay.start();
      await until(async () => (await relay.backlog()).pending === 0);
      assert.equal(await relay.deliver(later), true);
      await relay.stop();
      assert.deepEqual(
        (await appliedIn(rbac)).map(({ value }) => value),
        [...survive, 'later'],
      );
    });
  }
});
