/**
 * Rooms are folders with an order. dependency-cruiser judges the folder of each file, so it misses
 * a circle of rooms with folders of their own; nor does its parser know `using` and TSX.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

/**
 * The folders whose rooms have an order: a room is a folder in it, or a file beside the folders. A
 * room may be such a folder itself.
 */
const houses = [
  'kernel/src',
  'server/src',
  'services/*/src',
  'services/identity/src/*',
  'packages/*/src',
  'web/src',
  'web/src/console',
  'web/src/console/parts',
  'web/src/console/screens',
  'tools',
  'test',
];

/** The lowest floor first: a room imports those below it, and no file beside the rooms. */
const floors: Readonly<Record<string, readonly string[]>> = {
  'services/identity/src': ['ground', 'mail', 'people', 'apps', 'sign-in', 'oauth'],
};

/** What one part of the product may not import of another, with the reason. */
const walls = [{ from: 'web/', to: /^(?:services|tools|test)\//, reason: 'pages use the API, and share rules by packages/rules' }];

type Imports = ReadonlyMap<string, readonly string[]>;

const isSource = (file: string) => !/node_modules|\/dist\/|\/generated\/|\.d\.ts$/.test(file);
/** Tests and what they use may reach for anything; in test/ they are the house. */
const isJudged = (file: string) =>
  file.startsWith('test/') || !/\.test\.tsx?$|\/testing\/|fixture|^packages\/[^/]+\/(?:test|example)\//.test(file);

/** Of types, too, and those that a call makes. */
const specifiers = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)'(\.{1,2}\/[^']+|@tessera\/[^']+)'/gm;

/** Which files each file imports. A package of the services stands for its folder. */
export function importsIn(root: string): Imports {
  const files = globSync('{kernel,server,services,packages,proto,web,tools,test}/**/*.{ts,tsx,mjs}', { cwd: root }).filter(isSource);
  const known = new Set(files);
  const services = new Set(files.map((file) => /^services\/([^/]+)/.exec(file)?.[1]));
  const targetOf = (file: string, specifier: string) => {
    const [, service] = /^@tessera\/([^/]+)/.exec(specifier) ?? [];
    if (service !== undefined) return services.has(service) ? [`services/${service}/${specifier}`] : [];
    const target = join(dirname(file), specifier);
    return known.has(target) ? [target] : [];
  };
  return new Map(
    files.filter(isJudged).map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [file, [...text.matchAll(specifiers)].flatMap(([, specifier = '']) => targetOf(file, specifier))];
    }),
  );
}

/** Undefined outside of the house. */
function roomOf(house: string, file: string): string | undefined {
  return file.startsWith(`${house}/`) ? file.slice(house.length + 1).split('/')[0] : undefined;
}

/** The rooms that each room imports, with one import of each. */
function stepsIn(house: string, imports: Imports): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const steps = new Map<string, Map<string, string>>();
  for (const [file, targets] of imports) {
    const from = roomOf(house, file);
    for (const target of targets) {
      const to = roomOf(house, target);
      if (from === undefined || to === undefined || to === from) continue;
      steps.set(from, (steps.get(from) ?? new Map<string, string>()).set(to, `${file} → ${target}`));
    }
  }
  return steps;
}

function circlesIn(house: string, imports: Imports): readonly string[] {
  const steps = stepsIn(house, imports);
  const reach = (from: string, reached = new Set<string>()): ReadonlySet<string> => {
    const next = [...(steps.get(from)?.keys() ?? [])].filter((room) => !reached.has(room));
    for (const room of next) reached.add(room);
    for (const room of next) reach(room, reached);
    return reached;
  };
  const reachable = new Map([...steps.keys()].map((room) => [room, reach(room)]));
  const circles = [...reachable].map(([room, reached]) => [...reached].filter((other) => reachable.get(other)?.has(room)).sort());
  const messageOf = (circle: readonly string[]) => {
    const inside = circle.flatMap((from) => circle.flatMap((to) => steps.get(from)?.get(to) ?? []));
    return `${house}: ${circle.join(', ')} import each other: ${inside.join('; ')}`;
  };
  return [...new Set(circles.filter((circle) => circle.length > 0).map(messageOf))];
}

function importsUpward(house: string, order: readonly string[], imports: Imports): readonly string[] {
  const isUpward = (from: string | undefined, to: string | undefined) => {
    const [floor, other] = [order.indexOf(from ?? ''), order.indexOf(to ?? '')];
    return floor >= 0 && to !== undefined && (other < 0 || other > floor);
  };
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => isUpward(roomOf(house, file), roomOf(house, target)))
      .map((target) => `${file} → ${target}: the order is ${order.join(' < ')}`),
  );
}

/** A message for each circle of rooms, each import upward and each import through a wall. */
export function findRoomFaults(root: string = repositoryFolder): readonly string[] {
  const imports = importsIn(root);
  const folders = houses.flatMap((house) => (house.includes('*') ? globSync(house, { cwd: root }) : [house]));
  const through = walls.flatMap(({ from, to, reason }) =>
    [...imports].flatMap(([file, targets]) =>
      file.startsWith(from) ? targets.filter((target) => to.test(target)).map((target) => `${file} → ${target}: ${reason}`) : [],
    ),
  );
  return [
    ...folders.flatMap((house) => circlesIn(house, imports)),
    ...Object.entries(floors).flatMap(([house, order]) => importsUpward(house, order, imports)),
    ...through,
  ];
}
