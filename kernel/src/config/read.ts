import type { Entry, Environment, Reader, Reading } from './readers.ts';
import { type Settings, unknownIn } from './unknown.ts';

export type Shape = Readonly<Record<string, Reader<unknown>>>;
export type Config<Given extends Shape> = { readonly [Key in keyof Given]: Given[Key] extends Reader<infer Value> ? Value : never };

/** Every fault of a configuration at once, by variable name; never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    super(`The configuration has ${count}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

function readShape<Given extends Shape>(environment: Environment, shape: Given): Reading<Config<Given>> {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, reader] of Object.entries(shape)) {
    const reading = reader.read(environment, key);
    if ('faults' in reading) faults.push(...reading.faults);
    else values[key] = reading.value;
  }
  return faults.length > 0 ? { faults } : { value: values as Config<Given> };
}

export function describeConfig(shape: Shape): readonly Entry[] {
  return Object.entries(shape).flatMap(([key, reader]) => reader.entries(key));
}

/** All of these variables or none; a fault names the missing ones. */
export function group<const Given extends Shape>(shape: Given): Reader<Config<Given> | undefined> {
  return {
    entries: () => describeConfig(shape).map((entry) => ({ ...entry, required: false })),
    read(environment) {
      const entries = describeConfig(shape);
      if (!entries.some(({ name }) => environment[name]?.trim())) return { value: undefined };
      const reading = readShape(environment, shape);
      const all = entries.map(({ name }) => name).join(', ');
      return 'faults' in reading ? { faults: reading.faults.map((fault) => `${fault} (goes with ${all})`) } : reading;
    },
  };
}

type Options<Given extends Shape> = {
  /**
   * Those of all services. A variable whose name only resembles one of them is a fault: a typing
   * error must not leave the default in place.
   */
  readonly settings?: Settings;
  /** Others that this process may be given. */
  readonly known?: readonly string[];
  /** What only several variables together can break; answers with the fault. */
  readonly rules?: readonly ((config: Config<Given>) => string | undefined)[];
};

/** Reads the whole shape or throws one ConfigError that names every fault. */
export function readConfig<const Given extends Shape>(environment: Environment, shape: Given, options: Options<Given> = {}): Config<Given> {
  const { settings, known = [], rules = [] } = options;
  const own = [...describeConfig(shape).map(({ name }) => name), ...known];
  const unknown = settings === undefined ? [] : unknownIn(environment, settings, own);
  const reading = readShape(environment, shape);
  const broken = 'value' in reading ? rules.flatMap((rule) => rule(reading.value) ?? []) : reading.faults;
  const faults = [...broken, ...unknown];
  if ('faults' in reading || faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(reading.value);
}
