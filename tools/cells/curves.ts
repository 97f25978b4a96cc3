/** Tables and curves of plain text, as `npm run cells` prints them and decision 44 has them. */
import {
  brokenBy,
  bytesOf,
  type Cell,
  cellOf,
  coresOf,
  fewestCells,
  type Given,
  habits,
  processes,
  type Request,
  ratesOf,
  scaled,
} from './model.ts';

const barLength = 40;

function amount(value: number): string {
  return value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** One line a value, the longest for the largest. */
export function curve(points: readonly (readonly [label: string, value: number])[], unit: string): string {
  const most = Math.max(...points.map(([, value]) => value));
  const width = Math.max(...points.map(([label]) => label.length));
  const bar = (value: number) => '█'.repeat(Math.max(1, Math.round((value / most) * barLength)));
  return points.map(([label, value]) => `${label.padStart(width)}  ${bar(value).padEnd(barLength)}  ${amount(value)} ${unit}`).join('\n');
}

const cellCounts = [1, 2, 4, 8, 10, 12, 16, 24, 32, 48, 64];
const peopleCounts = [1e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8];

function cellRow(cell: Cell): readonly string[] {
  const broken = brokenBy(cell);
  return [
    String(cell.cells),
    amount(cell.people),
    `${amount(cell.bytes / 1e9)} GB`,
    amount(cell.cores.postgres),
    amount(processes.reduce((sum, process) => sum + (process === 'postgres' ? 0 : cell.cores[process]), 0)),
    `${amount(cell.hotGigabytes)} GB`,
    `${amount(cell.restoreHours)} h`,
    amount(cell.euro * cell.cells),
    broken.length === 0 ? '' : broken.join(', '),
  ];
}

export function report(given: Given): string {
  const { world, how = habits } = given;
  const rates = ratesOf(world, how);
  const requests = Object.keys(rates) as Request[];
  const cores = coresOf(rates, given.figures, how.peak);
  const cells = cellCounts.map((count) => cellOf(given, count));
  const needed = fewestCells(given);
  const sizes = peopleCounts.map((people) => {
    const smaller = { ...given, world: scaled(world, people) };
    const count = fewestCells(smaller);
    return { people, count, euro: cellOf(smaller, count).euro * count };
  });
  return [
    `### All together: ${amount(bytesOf(world, given.sizes, how) / 1e12)} TB`,
    table(
      ['request', 'a second at the peak', 'cores of Postgres'],
      requests.map((request) => [
        request,
        amount(rates[request] * how.peak),
        amount((rates[request] * how.peak * given.figures[request].postgres) / 1_000),
      ]),
    ),
    table(
      ['process', 'cores that work at the peak'],
      processes.map((process) => [process, amount(cores[process])]),
    ),
    `### By the number of cells (the fewest that break no limit: ${needed})`,
    table(
      [
        'cells',
        'people in one',
        'Postgres',
        'cores of its primary',
        'cores of its services',
        'hot',
        'restored in',
        '€ a month, all',
        'breaks',
      ],
      cells.map(cellRow),
    ),
    '```text',
    curve(
      cells.map((cell) => [`${cell.cells} cells`, cell.euro * cell.cells]),
      '€ a month',
    ),
    '```',
    '### By the number of people',
    table(
      ['people', 'cells', '€ a month', '€ a month for 1,000 people'],
      sizes.map(({ people, count, euro }) => [amount(people), String(count), amount(euro), amount((euro / people) * 1_000)]),
    ),
    '```text',
    curve(
      sizes.map(({ people, euro }) => [amount(people), (euro / people) * 1_000]),
      '€ a month for 1,000 people',
    ),
    '```',
  ].join('\n\n');
}
