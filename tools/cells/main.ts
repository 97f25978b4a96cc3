/**
 * `npm run cells -- [--people N] [--organizations N] [--projects N] [--customers N] [--keys N]`:
 * what that takes, and how many cells, from the last whole benchmark and from measured rows.
 */
import { parseArgs } from 'node:util';
import { report } from './curves.ts';
import { readFigures, readSizes } from './figures.ts';

const option = (value: number) => ({ type: 'string', default: String(value) }) as const;
const { values } = parseArgs({
  options: {
    people: option(1e8),
    organizations: option(1e6),
    projects: option(5e5),
    customers: option(3e5),
    keys: option(2e6),
  },
});

function count(name: keyof typeof values): number {
  const value = Number(values[name]);
  if (!(value >= 1)) throw new Error(`--${name} must be a number from 1 on`);
  return value;
}

const { at, figures } = readFigures();
const sizes = readSizes();
const world = {
  people: count('people'),
  organizations: count('organizations'),
  projects: count('projects'),
  customers: count('customers'),
  apiKeys: count('keys'),
};
const rows = sizes.measuredAt === undefined ? 'rows as estimated from their columns' : `rows measured on ${sizes.measuredAt}`;
console.log(`CPU of ${at.slice(0, 10)} (npm run bench), ${rows} in Postgres ${sizes.postgres}.\n`);
console.log(report({ world, figures, sizes }));
