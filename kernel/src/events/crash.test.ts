import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { sql } from '../postgres/index.ts';
import { appliedIn, note, openSides, receiver, sender } from './fixture.ts';
import { emit } from './index.ts';

const { urls, tenancy, rbac, close } = await openSides();
afterAll(close);
beforeEach(() => Promise.all([tenancy.query(sql('TRUNCATE outbox')), rbac.query(sql('TRUNCATE applied, inbox'))]));

async function liveAndDie(point: string, values: readonly string[]): Promise<void> {
  const life = spawn(process.execPath, [
    fileURLToPath(new URL('crash.fixture.ts', import.meta.url)),
    JSON.stringify(urls),
    point,
    ...values,
  ]);
  const [, signal] = await once(life, 'close');
  expect(signal).toStrictEqualFor(`the process did not reach '${point}'`, 'SIGKILL');
}

const values = ['1', '2', '3'];
const points = { emitted: [], committed: values, leased: values, handling: values, applied: values, settled: values };

describe('a process that is killed', () => {
  for (const [point, survive] of Object.entries(points))
    test(`when it has ${point}: afterwards ${survive.length > 0 ? 'each event is applied once, in order' : 'nothing has happened'}`, async () => {
      await liveAndDie(point, values);
      const relay = sender(tenancy, receiver(rbac));
      const later = await tenancy.transaction((tx) => emit(tx, [note('key', 'later')]));
      relay.start();
      await until(async () => (await relay.backlog()).pending === 0);
      expect(await relay.deliver(later)).toBe(true);
      await relay.stop();
      expect((await appliedIn(rbac)).map(({ value }) => value)).toStrictEqual([...survive, 'later']);
    });
});
