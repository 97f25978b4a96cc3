import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { compileRights } from '../domain/rights.ts';
import { createDecider } from './decider.ts';
import { createTurns } from './turns.ts';

test('callers that wait for their turn run one per turn of the event loop', async () => {
  const giveWay = createTurns();
  const worked: string[] = [];
  const work = async (name: string, slices: number): Promise<void> => {
    for (let slice = 0; slice < slices; slice += 1) {
      await giveWay();
      worked.push(name);
    }
  };
  const arrivals = async (): Promise<void> => {
    for (let look = 0; look < 3; look += 1) {
      await new Promise(setImmediate);
      worked.push('-');
    }
  };
  await Promise.all([work('a', 3), arrivals(), work('b', 2)]);
  expect(worked.join('')).toStrictEqual('a-b-a-ba');
});

test('a batch of costly conditions lets other work run before its end', async () => {
  const burn = (): boolean => {
    for (const began = performance.now(); performance.now() - began < 3; );
    return false;
  };
  const role = { id: newId(), name: 'r', description: null, metadata: {}, isBuiltIn: false, rank: null };
  const condition = { Equals: { 'resource.a': 1 } };
  const permission = { id: newId(), name: 'p', resource: 'Doc', action: 'Read', condition };
  const rights = compileRights([role], [{ role, group: role, permission }]);
  const grant = rights.actions.get('Doc')?.get('Read')?.conditional[0];
  assert.ok(grant?.predicate);
  Object.assign(grant.predicate, { holds: burn });
  const loaded = { rights, versions: { root: 1, own: 1 } };
  const cache = { peek: () => loaded, get: async () => loaded } as unknown as Parameters<typeof createDecider>[0]['cache'];
  const { explainAll } = createDecider({ cache, userMetadata: { get: async () => ({}), lastKnown: () => undefined } });
  const subject = { type: 'session', userId: newId() } as const;
  const check = { subject, scope: { tenant: 'organization', id: newId() }, resource: 'Doc', action: 'Read', target: {} } as const;
  let isDone = false;
  let looks = 0;
  const look = (): void => {
    looks += 1;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  const answers = await explainAll(Array.from({ length: 20 }, () => check));
  isDone = true;
  expect(answers.every(({ decision }) => decision.reason === 'PERMISSION_FOUND_CONDITION_NOT_MET')).toBe(true);
  expect(answers.length).toBe(20);
  expect(looks).toBeGreaterThanOrEqual(8);
});
