/** Each reader parses one variable. Messages never contain the value: it may be a secret. */
export type Environment = Readonly<Record<string, string | undefined>>;
export type Reading<Value> = { readonly value: Value } | { readonly faults: readonly string[] };
/** What the configuration reference shows of a variable. */
export type Entry = { name: string; about: string; default?: string; required: boolean; secret: boolean };

export type Reader<Value> = {
  readonly entries: (key: string) => readonly Entry[];
  readonly read: (environment: Environment, key: string) => Reading<Value>;
};

type Options<Value> = {
  readonly default?: Value;
  /** Absent or empty gives undefined. */
  readonly optional?: boolean;
  /** The variable's name, when it differs from the key in the configuration. */
  readonly variable?: string;
  readonly about?: string;
};

type Given<Value, Chosen> = Chosen extends { optional: true } ? Value | undefined : Value;

/** Why a text is refused; never quotes it. */
class Refusal {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

function variable<Value, Chosen extends Options<Value>>(
  parse: (raw: string) => Value | Refusal,
  options: Chosen,
  kind: { about?: string | undefined; secret?: boolean } = {},
): Reader<Given<Value, Chosen>> {
  return {
    entries: (key) => [
      {
        name: options.variable ?? key,
        about: [options.about, kind.about].filter(Boolean).join('; '),
        required: options.default === undefined && options.optional !== true,
        secret: kind.secret === true,
        ...(options.default === undefined || kind.secret ? {} : { default: String(options.default) }),
      },
    ],
    read(environment, key) {
      const name = options.variable ?? key;
      const raw = environment[name]?.trim();
      if (raw === undefined || raw === '') {
        if (options.default === undefined && options.optional !== true) return { faults: [`${name} is missing`] };
        return { value: options.default as Given<Value, Chosen> };
      }
      const parsed = parse(raw);
      return parsed instanceof Refusal ? { faults: [`${name} ${parsed.reason}`] } : { value: parsed as Given<Value, Chosen> };
    },
  };
}

export function text<const Chosen extends Options<string> & { pattern?: RegExp; shape?: string }>(options?: Chosen) {
  return variable(
    (raw): string | Refusal =>
      options?.pattern?.test(raw) === false ? new Refusal(`must be ${options.shape ?? `like ${options.pattern}`}`) : raw,
    options ?? ({} as Chosen),
    { about: options?.shape },
  );
}

/** A secret: marked for redaction, at least `minLength` characters. */
export function secret<const Chosen extends Options<string> & { minLength?: number }>(options?: Chosen) {
  return variable(
    (raw): string | Refusal =>
      raw.length < (options?.minLength ?? 1) ? new Refusal(`must have at least ${options?.minLength} characters`) : raw,
    options ?? ({} as Chosen),
    { secret: true },
  );
}

/** Bytes in base64, of exactly this length. */
export function bytes<const Chosen extends Options<Buffer>>(length: number, options?: Chosen) {
  return variable(
    (raw): Buffer | Refusal => {
      const value = Buffer.from(raw, 'base64');
      return value.length === length ? value : new Refusal(`must be ${length} bytes in base64`);
    },
    options ?? ({} as Chosen),
    { secret: true },
  );
}

/** An absolute http(s) address without query and fragment; a slash at the end is dropped. */
export function url<const Chosen extends Options<string> & { protocols?: readonly string[] }>(options?: Chosen) {
  return variable(
    (raw): string | Refusal => {
      const parsed = URL.canParse(raw) ? new URL(raw) : undefined;
      const protocols = options?.protocols ?? ['http:', 'https:'];
      if (parsed === undefined || !protocols.includes(parsed.protocol)) return new Refusal(`must be a URL (${protocols.join(' ')})`);
      return parsed.hash !== '' ? new Refusal('must not have a fragment') : raw.replace(/\/+$/, '');
    },
    options ?? ({} as Chosen),
  );
}

export function integer<const Chosen extends Options<number> & { min?: number; max?: number }>(options?: Chosen) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options ?? {};
  return variable(
    (raw): number | Refusal => {
      const value = /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN;
      return value >= min && value <= max ? value : new Refusal(`must be a whole number from ${min} to ${max}`);
    },
    options ?? ({} as Chosen),
  );
}

export function flag<const Chosen extends Options<boolean>>(options?: Chosen) {
  return variable(
    (raw): boolean | Refusal =>
      raw === 'true' || raw === '1' ? true : raw === 'false' || raw === '0' ? false : new Refusal('must be true or false'),
    options ?? ({} as Chosen),
  );
}

export function choice<const Choice extends string, const Chosen extends Options<Choice>>(choices: readonly Choice[], options?: Chosen) {
  return variable(
    (raw): Choice | Refusal => choices.find((candidate) => candidate === raw) ?? new Refusal(`must be one of ${choices.join(', ')}`),
    options ?? ({} as Chosen),
    { about: `one of ${choices.join(', ')}` },
  );
}

/** Comma-separated, without empty entries. */
export function list<const Chosen extends Options<readonly string[]>>(options?: Chosen) {
  return variable(
    (raw): readonly string[] | Refusal =>
      raw
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    options ?? ({} as Chosen),
  );
}
