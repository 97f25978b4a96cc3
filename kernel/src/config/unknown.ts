/** Variables that nothing reads, though their names resemble a setting of ours. */
import type { Environment } from './readers.ts';

export type Settings = {
  /** The variables of docs/configuration.md. */
  readonly documented: readonly string[];
  /** Those that only the files in deploy/ and the tools read. */
  readonly deployment: readonly string[];
  /** Lists of names, each of which has variables of its own: `<NAME>_` and one of the members. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/**
 * Prefixes that Node, OpenTelemetry and the proxy convention use too. With them, only a name that
 * nearly equals a setting of ours is a fault.
 */
const sharedPrefixes = new Set(['NODE_', 'OTEL_', 'HTTP_']);
/** Of @grpc/grpc-js, which reads the environment by itself. */
const ofGrpc = /^GRPC_(VERBOSITY|TRACE|NODE_VERBOSITY|NODE_TRACE|SSL_CIPHER_SUITES|DEFAULT_SSL_ROOTS_FILE_PATH|EXPERIMENTAL_\w+)$/;
/** What Kubernetes tells every container about the services of its namespace. */
const ofServiceLinks = /^\w+_SERVICE_(HOST|PORT(_\w+)?)$|^\w+_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?$/;
const serviceLinkAddress = /^(tcp|udp|sctp):\/\//;

const furthest = 2;
/** Shorter names are near too many words: HOST and HOME, PORT and PATH. */
const shortestNear = 8;

export function unknownIn(environment: Environment, settings: Settings, own: readonly string[]): readonly string[] {
  const members = membersIn(environment, settings);
  const names = [...new Set([...settings.documented, ...settings.deployment, ...members, ...own])];
  const known = new Set(names);
  const prefixes = new Set(settings.documented.flatMap((name) => prefixOf(name) ?? []));
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.has(name) || isOfOthers(name, value)) return [];
    const near = nearest(name, names);
    if (near !== undefined) return [`${name} is not known: ${near} is`];
    const prefix = prefixOf(name) ?? '';
    if (!prefixes.has(prefix) || sharedPrefixes.has(prefix)) return [];
    return [`${name} is not known: docs/configuration.md has every variable that begins with ${prefix}`];
  });
}

function prefixOf(name: string): string | undefined {
  return /^[A-Z0-9]+_/.exec(name)?.[0];
}

function membersIn(environment: Environment, { lists }: Settings): readonly string[] {
  return Object.entries(lists).flatMap(([list, members]) =>
    (environment[list] ?? '').split(',').flatMap((name) => {
      const prefix = name.trim().toUpperCase().replaceAll('-', '_');
      return prefix === '' ? [] : members.map((member) => `${prefix}_${member}`);
    }),
  );
}

function isOfOthers(name: string, value: string): boolean {
  return ofGrpc.test(name) || ofServiceLinks.test(name) || (name.endsWith('_PORT') && serviceLinkAddress.test(value));
}

function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length < shortestNear) return undefined;
  const distances = names
    .filter(({ length }) => length >= shortestNear && Math.abs(length - name.length) <= furthest)
    .map((other) => ({ other, distance: editDistance(name, other) }));
  return distances.filter(({ distance }) => distance <= furthest).toSorted((a, b) => a.distance - b.distance)[0]?.other;
}

/** Levenshtein's: how many characters are added, taken or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, compared] of [...other].entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (character === compared ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
