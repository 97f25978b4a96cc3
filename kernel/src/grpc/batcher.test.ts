import { expect, test } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { failures } from '../errors/index.ts';
import { requestContext } from '../telemetry/index.ts';
import { createBatcher } from './index.ts';

function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('createBatcher sends the calls of one tick together, and does not wait for batches in flight', async () => {
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
  while (sizes.length === 1) await later(1);
  release();
  expect([...(await first), ...(await second)]).toStrictEqual([2, 4, 6, 8, 10]);
  expect(sizes).toStrictEqual([3, 2]);
});

test('createBatcher sends no batch larger than maxSize', async () => {
  const sizes: number[] = [];
  const echo = createBatcher<number, number>({
    maxSize: 4,
    run: async (items) => {
      sizes.push(items.length);
      return items;
    },
  });
  const items = Array.from({ length: 10 }, (_, index) => index);
  expect(await Promise.all(items.map(echo))).toStrictEqual(items);
  expect(sizes).toStrictEqual([4, 4, 2]);
});

test('createBatcher fails one item alone when its result is an error', async () => {
  const run = createBatcher<string, string>({
    maxSize: 9,
    run: async (items) => items.map((item) => (item === 'bad' ? failures.badInput() : item)),
  });
  const [good, bad] = await Promise.allSettled([run('good'), run('bad')]);
  expect([good.status, bad.status]).toStrictEqual(['fulfilled', 'rejected']);
});

test('createBatcher halves a refused batch so that one item fails alone, but not when the service is unavailable', async () => {
  let runs = 0;
  const run = createBatcher<string, string>({
    maxSize: 9,
    run: async (items) => {
      runs += 1;
      if (items.includes('bad')) throw failures.validation('scope.id', { en: 'must be a UUID', de: 'muss eine UUID sein' });
      if (items.includes('down')) throw failures.unavailable('rbac');
      return items;
    },
  });
  const results = await Promise.allSettled(['a', 'bad', 'b', 'c'].map(run));
  expect(results.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  runs = 0;
  await Promise.allSettled(['a', 'down', 'b', 'c'].map(run));
  expect(runs).toBe(1);
});

test('createBatcher fails all calls of a batch that gets the wrong number of results', async () => {
  const run = createBatcher<number, number>({ maxSize: 9, run: async (items) => items.slice(1) });
  const results = await Promise.allSettled([1, 2].map(run));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
});

test('createBatcher runs a batch for several requests in the context of none of them', async () => {
  const seen: { readonly items: readonly number[]; readonly requestId: string | undefined }[] = [];
  const echo = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      seen.push({ items, requestId: requestContext.getStore()?.requestId });
      await later(5);
      return items;
    },
  });
  const calls = Array.from({ length: 20 }, async (_, request) => {
    await later(request % 4);
    await requestContext.run({ requestId: `request ${request}` }, () => echo(request));
  });
  await Promise.all(calls);
  expect(seen.some(({ items }) => items.length > 1)).toBe(true);
  for (const { items, requestId } of seen) {
    if (items.length === 1) expect(requestId).toBe(`request ${items[0]}`);
    else expect(requestId ?? '').not.toMatch(/^request|^$/);
  }
  expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(seen.length);
});

test('createBatcher runs a batch for one request in the context of that request', async () => {
  let traceparent: string | undefined;
  const run = createBatcher<number, number>({
    maxSize: 100,
    run: async (items) => {
      traceparent = requestContext.getStore()?.traceparent;
      return items;
    },
  });
  const context = { requestId: 'one', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await requestContext.run(context, () => Promise.all([1, 2, 3].map(run)));
  expect(traceparent).toBe(context.traceparent);
});

test('createBatcher sends the next batch although the one before hangs', async () => {
  const hangs = new Promise<never>(() => {});
  let batches = 0;
  const echo = createBatcher<string, string>({
    maxSize: 1,
    run: async (items) => {
      batches += 1;
      return items.includes('hang') ? hangs : items;
    },
  });
  for (let n = 0; n < 3; n += 1) void echo('hang');
  await until(() => batches === 3);
  expect(await echo('next')).toBe('next');
});
