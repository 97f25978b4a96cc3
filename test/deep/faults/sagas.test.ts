/** SIGKILL between any two steps of each saga: after a restart the invariants hold. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Arranged, eventually, sagasOf, settled } from '../../support/faults/arranged.ts';
import { brokenInvariants } from '../../support/faults/invariants.ts';
import { Killer, type Step, stepName } from '../../support/faults/kill.ts';
import { record } from '../../support/faults/record.ts';
import { startOwnStack } from '../../support/shared-stack.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Each change has a system of its own to break. */
async function openStage() {
  const running = await startOwnStack();
  const killer = await Killer.open(running.stack);
  const close = async () => {
    await killer[Symbol.asyncDispose]();
    await running.close();
  };
  return { running, killer, [Symbol.asyncDispose]: close };
}

const rows = new Map<string, string>();
afterAll(() =>
  record('Killed at every step', [
    'SIGKILL to the process that is about to write in a table, or to commit what it wrote there, for every table and transaction of every change.',
    '',
    '| change | steps reached | of identity | of tenancy | of rbac | of keys |',
    '|---|---|---|---|---|---|',
    ...names.flatMap((name) => rows.get(name) ?? []),
  ]),
);

const names = [
  'registration',
  'opening the second account',
  'creating an organization',
  'acceptance by a known user',
  'acceptance by a new user',
  'creating a project',
  'changing a project’s name and tags',
  'changing a member',
  'changing a user',
  'deleting a user',
  'removing a member',
  'deleting a project',
  'deleting an organization',
  'leaving the platform',
];

async function killAtEveryStep(arrange: () => Promise<Arranged>, what: string, { running, killer }: Stage): Promise<readonly Step[]> {
  const rest = () => settled(killer);
  const undisturbed = await eventually(arrange);
  await rest();
  const tables = await killer.tablesOf(undisturbed.run, rest);
  expect(await undisturbed.stands()).toBe(true);
  await undisturbed.whole();
  expect(await brokenInvariants(running.adminDatabaseUrl)).toStrictEqual([]);

  const steps = tables.flatMap(({ service, table, transactions }) =>
    Array.from({ length: transactions }, (_, index) => index + 1).flatMap((nth): Step[] => [
      { service, table, nth, when: 'write' },
      { service, table, nth, when: 'commit' },
    ]),
  );
  const reached: Step[] = [];
  for (const step of steps) {
    const killed = await eventually(arrange);
    await rest();
    if (!(await killer.killAt(step, killed.run, rest))) continue;
    reached.push(step);
    await rest();
    try {
      await eventually((await killed.stands()) ? killed.whole : killed.none);
      expect(await brokenInvariants(running.adminDatabaseUrl)).toStrictEqual([]);
    } catch (cause) {
      throw new Error(`${what}, killed at ${stepName(step)}`, { cause });
    }
  }
  // Relays and jobs also run on their own, so the number of writes to a table varies.
  expect(reached.length >= tables.length * 2).toStrictEqualFor(`only ${reached.length} of ${steps.length} steps were reached`, true);
  return reached;
}

describe('killed between any two steps', () => {
  for (const name of names)
    test.concurrent(name, async () => {
      await using stage = await openStage();
      const sagas = sagasOf(stage.running, stage.killer);
      // These are all that there are.
      expect(Object.keys(sagas).toSorted()).toStrictEqual(names.toSorted());
      const saga = sagas[name];
      assert.ok(saga);
      const reached = await killAtEveryStep(saga, name, stage);
      const of = (service: string) => reached.filter((step) => step.service === service).length;
      rows.set(name, `| ${name} | ${reached.length} | ${['identity', 'tenancy', 'rbac', 'keys'].map(of).join(' | ')} |`);
      console.log(`${reached.length} steps: ${reached.map(stepName).join(', ')}`);
    });
});
