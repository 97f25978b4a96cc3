import { describe, expect, test } from '@jest/globals';
import { curve, report } from './curves.ts';
import { figuresOf, readFigures, readSizes } from './figures.ts';
import { brokenBy, bytesOf, cellOf, coresOf, fewestCells, habits, limits, processes, ratesOf, scaled } from './model.ts';

const world = { people: 1e8, organizations: 1e6, projects: 5e5, customers: 3e5, apiKeys: 2e6 };
const figures = readFigures().figures;
const sizes = {
  ...readSizes(),
  person: 1_500,
  membership: 500,
  organization: 10_000,
  project: 5_000,
  customer: 3_000,
  apiKey: 1_000,
  session: 500,
  auditRow: 400,
};
const given = { world, figures, sizes };

describe('the world', () => {
  test('rates are those of the active people and of the keys, over the day', () => {
    expect(ratesOf({ ...world, people: 864_000, apiKeys: 900 }, habits)).toMatchObject({ refresh: 16, me: 20, exchange: 1 });
  });

  test('bytes are the things, and what the days leave: sessions and rows of the log', () => {
    const one = { people: 10, organizations: 0, projects: 0, customers: 0, apiKeys: 0 };
    const how = { ...habits, activeShare: 1, auditRowsPerActivePerson: 1, auditDays: 2, sessionDays: 5 };
    expect(bytesOf(one, sizes, how)).toBe(10 * 2_000 + 10 * 2 * 400 + 10 * 0.2 * 5 * 500);
  });

  test('cores are requests a second by their milliseconds, at the peak', () => {
    const rates = { register: 0, login: 100, refresh: 0, me: 0, decision: 0, list: 0, exchange: 0 };
    expect(coresOf(rates, figures, 4).identity).toBeCloseTo((4 * 100 * figures.login.identity) / 1_000);
  });
});

describe('cells', () => {
  test('of the fewest none breaks a limit, and of one less each does', () => {
    const cells = fewestCells(given);
    expect(brokenBy(cellOf(given, cells))).toStrictEqual([]);
    expect(brokenBy(cellOf(given, cells - 1))).not.toStrictEqual([]);
  });

  test('each limit alone asks for more of them', () => {
    const cell = cellOf(given, 1);
    const names = ['primaryCores', 'memoryGigabytes', 'restoreHours', 'people'] as const;
    const free = { ...limits, ...Object.fromEntries(names.map((name) => [name, Infinity])) };
    expect(brokenBy(cell, free)).toStrictEqual([]);
    for (const name of names) expect(brokenBy(cell, { ...free, [name]: 0.001 })).toStrictEqual([name]);
  });

  test('hold together what the world takes, whatever their number', () => {
    for (const count of [1, 7, 50]) {
      const cell = cellOf(given, count);
      expect(cell.bytes * count).toBeCloseTo(bytesOf(world, sizes, habits), -3);
      expect(cell.cores.postgres * count).toBeCloseTo(cellOf(given, 1).cores.postgres);
      expect(cell.people * count).toBeCloseTo(world.people);
    }
  });

  test('one is enough for a small installation, and costs less than many', () => {
    const small = { ...given, world: scaled(world, 100_000) };
    expect(fewestCells(small)).toBe(1);
    expect(cellOf(small, 1).euro).toBeLessThan(8 * cellOf(small, 8).euro);
  });
});

describe('what the benchmark says', () => {
  test('is complete in the results of the repository, and never negative', () => {
    for (const costs of Object.values(figures)) for (const process of processes) expect(costs[process]).toBeGreaterThanOrEqual(0);
    for (const request of ['login', 'register', 'refresh', 'exchange'] as const) expect(figures[request].postgres).toBeGreaterThan(0.1);
  });

  test('a share of Postgres that drowned in noise is that of its queries', () => {
    const names = ['journey: register', 'journey: login', 'journey: refresh', 'journey: GET /api/me'];
    const others = ['REST is-authorized through the gateway', 'GraphQL join of two services', 'API-key exchange through the gateway'];
    const rows = [...names, ...others].map((workload) => ({ workload, cpuMsPerRequest: { postgres: 3 }, queriesPerRequest: 2 }));
    const noisy = rows.map((row) =>
      row.workload === 'journey: login' ? { ...row, cpuMsPerRequest: { postgres: -6 }, queriesPerRequest: 4 } : row,
    );
    expect(figuresOf(noisy).login.postgres).toBe(6);
    expect(() => figuresOf(rows.slice(1))).toThrow(/no CPU of "journey: register"/);
  });
});

test('a curve has one line a value, as long as the value beside the largest', () => {
  expect(
    curve(
      [
        ['a', 10],
        ['bb', 5],
      ],
      '€',
    ).split('\n'),
  ).toStrictEqual([` a  ${'█'.repeat(40)}  10 €`, `bb  ${'█'.repeat(20).padEnd(40)}  5 €`]);
});

test('the report names the fewest cells and marks the numbers that break a limit', () => {
  const text = report(given);
  expect(text).toContain(`break no limit: ${fewestCells(given)})`);
  expect(text).toMatch(/\| 1 \| 100,000,000 \|.*, people \|/);
});
