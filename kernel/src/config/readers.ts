/** Each reader parses one variable. Messages never contain the value: it may be a secret. */
export type Environment = Readonly<Record<string, string | undefined>>;
export type Reading<Value> = { readonly value: Value } | { readonly faults: readonly string[] };
export type Entry = {
  name: string;
  about: string;
  default?: string;
  required: boolean;
  secret: boolean;
  /** For a list of names: each of them has variables of its own, `<NAME>_` and one of these. */
  members?: readonly string[];
};

export type Reader<Value> = {
  readonly entries: (key: string) => readonly Entry[];
  readonly read: (environment: Environment, key: string) => Reading<Value>;
};

type Options<Value, Optional> = {
  readonly default?: Value;
  readonly optional?: Optional;
  readonly variable?: string;
  readonly about?: string;
};

type Given<Value, Optional> = Optional extends true ? Value | undefined : Value;

/** `must` continues the variable's name in the fault of a value that `parse` does not know. */
function variable<Value, Optional extends boolean>(
  parse: (raw: string) => Value | undefined,
  must: string,
  options: Options<Value, Optional>,
  kind: { about?: string | undefined; secret?: boolean } = {},
): Reader<Given<Value, Optional>> {
  const required = options.default === undefined && options.optional !== true;
  return {
    entries: (key) => [
      {
        name: options.variable ?? key,
        about: [options.about, kind.about].filter(Boolean).join('; '),
        required,
        secret: kind.secret === true,
        ...(options.default === undefined || kind.secret ? {} : { default: String(options.default) }),
      },
    ],
    read(environment, key) {
      const name = options.variable ?? key;
      const raw = environment[name]?.trim() ?? '';
      if (raw === '') return required ? { faults: [`${name} is missing`] } : { value: options.default as Given<Value, Optional> };
      const value = parse(raw);
      return value === undefined ? { faults: [`${name} must ${must}`] } : { value: value as Given<Value, Optional> };
    },
  };
}

type TextOptions<Optional> = Options<string, Optional> & { readonly pattern?: RegExp; readonly shape?: string };

export function text<Optional extends boolean = false>(options: TextOptions<Optional> = {}) {
  const { pattern, shape = `like ${pattern}` } = options;
  return variable((raw) => (pattern?.test(raw) === false ? undefined : raw), `be ${shape}`, options, { about: options.shape });
}

/** A secret: marked for redaction, at least `minLength` characters. */
export function secret<Optional extends boolean = false>(options: Options<string, Optional> & { readonly minLength?: number } = {}) {
  const { minLength = 1 } = options;
  return variable((raw) => (raw.length < minLength ? undefined : raw), `have at least ${minLength} characters`, options, { secret: true });
}

/** The values of a secret that is being rotated: the first is used, all are accepted. */
export function secretsIn(list: string): readonly [string, ...string[]] {
  const [first = '', ...others] = list.split(',').map((item) => item.trim());
  return [first, ...others];
}

/** Several values separated by commas, each of at least `minLength` characters. */
export function secrets<Optional extends boolean = false>(options: Options<string, Optional> & { readonly minLength: number }) {
  const { minLength } = options;
  const isLong = (list: string) => secretsIn(list).every(({ length }) => length >= minLength);
  return variable((raw) => (isLong(raw) ? raw : undefined), `have at least ${minLength} characters in each value`, options, {
    secret: true,
    about: 'several, comma-separated, while it is rotated: the first is used, all are accepted',
  });
}

/** An absolute http(s) address without query and fragment; a slash at the end is dropped. */
export function url<Optional extends boolean = false>(
  options: Options<string, Optional> & { readonly protocols?: readonly string[] } = {},
) {
  const { protocols = ['http:', 'https:'] } = options;
  const parse = (raw: string) => {
    const parsed = URL.parse(raw);
    return parsed?.hash === '' && protocols.includes(parsed.protocol) ? raw.replace(/\/+$/, '') : undefined;
  };
  return variable(parse, `be a URL (${protocols.join(' ')}) without a fragment`, options);
}

type IntegerOptions<Optional> = Options<number, Optional> & { readonly min?: number; readonly max?: number };

export function integer<Optional extends boolean = false>(options: IntegerOptions<Optional> = {}) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  const parse = (raw: string) => {
    const value = /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return variable(parse, `be a whole number from ${min} to ${max}`, options);
}

const flags: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

export function flag<Optional extends boolean = false>(options: Options<boolean, Optional> = {}) {
  return variable((raw) => (Object.hasOwn(flags, raw) ? flags[raw] : undefined), 'be true or false', options);
}

export function choice<const Choice extends string, Optional extends boolean = false>(
  choices: readonly Choice[],
  options: Options<NoInfer<Choice>, Optional> = {},
) {
  const shape = `one of ${choices.join(', ')}`;
  return variable((raw) => choices.find((candidate) => candidate === raw), `be ${shape}`, options, { about: shape });
}

export function list<Optional extends boolean = false>(options: Options<readonly string[], Optional> = {}) {
  const itemsOf = (raw: string): readonly string[] => raw.split(',').map((item) => item.trim());
  return variable((raw) => itemsOf(raw).filter((item) => item !== ''), 'be a list', options);
}
