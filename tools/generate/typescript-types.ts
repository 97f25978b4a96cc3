export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** They say nothing of the values. */
const annotations = ['description', 'examples', 'secret'];

/**
 * A JSON schema as a TypeScript type. Throws for a keyword that it does not know, so that no type
 * is wrong in silence. Optional fields of an input may also be given as undefined.
 */
export function typeOf(schema: unknown, isInput = false): string {
  if (!isJson(schema)) return 'unknown';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((value) => JSON.stringify(value)));
  if (Array.isArray(schema['anyOf'])) return union(schema['anyOf'].map((one) => typeOf(one, isInput)));
  const { type } = schema;
  if (type === 'array') return `Array<${typeOf(schema['items'], isInput)}>`;
  if (type === 'object') return objectType(schema, isInput);
  if (type === undefined && Object.keys(schema).every((key) => annotations.includes(key))) return 'unknown';
  const primitive = typeof type === 'string' ? primitives[type] : undefined;
  if (primitive === undefined) throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`);
  return primitive;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function objectType(schema: Json, isInput: boolean): string {
  const properties = isJson(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0) return 'Record<string, unknown>';
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const fields = properties.map(([name, field]) => {
    const type = typeOf(field, isInput);
    return required.has(name) ? `${name}: ${type}` : `${name}?: ${type}${isInput ? ' | undefined' : ''}`;
  });
  return `{ ${fields.join('; ')} }`;
}
