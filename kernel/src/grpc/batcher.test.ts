import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failures } from '../errors/index.ts';
import { createBatcher } from './index.ts';

function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('calls of one tick go together, and the next batch gathers while one is on its way', async () => {
  const sizes: number[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const double = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      sizes.push(items.length);
      await released;
      return items.map((item) => item * 2);
    },
  });
  const first = Promise.all([1, 2, 3].map(double));
  while (sizes.length === 0) await later(1);
  const second = Promise.all([4, 5].map(double));
  await later(5);
  const third = double(6);
  release();
  assert.deepEqual([...(await first), ...(await second), await third], [2, 4, 6, 8, 10, 12]);
  assert.deepEqual(sizes, [3, 3]);
});

test('no batch is larger than the limit', async () => {
  const sizes: number[] = [];
  const echo = createBatcher<number, number>({
    maxSize: 4,
    run: async (items) => {
      sizes.push(items.length);
      return items;
    },
  });
  const items = Array.from({ length: 10 }, (_, index) => index);
  assert.deepEqual(await Promise.all(items.map(echo)), items);
  assert.deepEqual(sizes, [4, 4, 2]);
});

test('one item that fails is failed alone', async () => {
  const run = createBatcher<string, string>({
    maxSize: 9,
    run: async (items) => items.map((item) => (item === 'bad' ? failures.badInput() : item)),
  });
  const [good, bad] = await Promise.allSettled([run('good'), run('bad')]);
  assert.deepEqual([good.status, bad.status], ['fulfilled', 'rejected']);
});

test('one item that makes its batch refused fails alone; a service that is down fails all at once', async () => {
  let runs = 0;
  const run = createBatcher<string, string>({
    maxSize: 9,
    run: async (items) => {
      runs += 1;
      if (items.includes('bad')) throw failures.validation('scope.id', 'a UUID');
      if (items.includes('down')) throw failures.unavailable('rbac');
      return items;
    },
  });
  const results = await Promise.allSettled(['a', 'bad', 'b', 'c'].map(run));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  runs = 0;
  await Promise.allSettled(['a', 'down', 'b', 'c'].map(run));
  assert.equal(runs, 1);
});

test('an answer of the wrong length is given to nobody', async () => {
  const run = createBatcher<number, number>({ maxSize: 9, run: async (items) => items.slice(1) });
  const results = await Promise.allSettled([1, 2].map(run));
  assert.ok(results.every(({ status }) => status === 'rejected'));
});
