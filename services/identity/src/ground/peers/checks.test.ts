import { expect, test } from '@jest/globals';
import { createChecks } from './checks.ts';

/** Checks that end when the test says so. */
function controlled() {
  const started: PromiseWithResolvers<boolean>[] = [];
  const check = () => {
    const one = Promise.withResolvers<boolean>();
    started.push(one);
    return one.promise;
  };
  return { started, check };
}

test('concurrent requests share one recent check, and a no or a failure is not kept', async () => {
  const { started, check } = controlled();
  const checks = createChecks();
  const both = [checks.recent('app', check), checks.recent('app', check)];
  started[0]?.resolve(false);
  expect(await Promise.all(both)).toStrictEqual([false, false]);
  const failing = checks.recent('app', check);
  started[1]?.reject(new Error('down'));
  await expect(failing).rejects.toThrow('down');
  const allowed = checks.recent('app', check);
  started[2]?.resolve(true);
  expect([await allowed, await checks.recent('app', check), started.length]).toStrictEqual([true, true, 3]);
});

test('a next check begins after the request for it, and those who wait for it share it', async () => {
  const { started, check } = controlled();
  const checks = createChecks();
  const first = checks.next('app', check);
  const [second, third] = [checks.next('app', check), checks.next('app', check)];
  expect(started).toHaveLength(1);
  started[0]?.resolve(true);
  expect(await first).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toHaveLength(2);
  // It runs already: what this request has committed may be missing in it.
  const late = checks.next('app', check);
  started[1]?.resolve(false);
  expect(await Promise.all([second, third])).toStrictEqual([false, false]);
  await new Promise((resolve) => setImmediate(resolve));
  started[2]?.resolve(true);
  expect([await late, started.length]).toStrictEqual([true, 3]);
});

test('a failed check lets the next one begin', async () => {
  const { started, check } = controlled();
  const checks = createChecks();
  const first = checks.next('app', check);
  const second = checks.next('app', check);
  started[0]?.reject(new Error('down'));
  await expect(first).rejects.toThrow('down');
  await new Promise((resolve) => setImmediate(resolve));
  started[1]?.resolve(true);
  expect(await second).toBe(true);
});
