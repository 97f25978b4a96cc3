/** The smallest input that the schema of an operation accepts. */

type Json = Readonly<Record<string, unknown>>;
function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Described = { readonly input: unknown };

const A_UUID = '0190a000-0000-7000-8000-00000000f00d';

function sampleText({ pattern, minLength = 1, format }: Json): string {
  if (typeof pattern === 'string' && pattern.includes('[0-9a-f]{8}')) return A_UUID;
  if (typeof pattern === 'string' && pattern.includes('@')) return 'sample@example.com';
  if (format === 'email') return 'sample@example.com';
  return 'a'.repeat(Math.max(Number(minLength), 1));
}

/** The smallest value that a schema accepts. */
export function sample(schema: unknown): unknown {
  if (!isRecord(schema)) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return sample(schema.anyOf.find((branch) => !isRecord(branch) || branch.type !== 'null'));
  switch (schema.type) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return Number(schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return Number(schema.minItems ?? 0) > 0 ? [sample(schema.items)] : [];
    default: {
      const required = Array.isArray(schema.required) ? schema.required : [];
      const properties = isRecord(schema.properties) ? schema.properties : {};
      return Object.fromEntries(required.map((name) => [name, sample(properties[String(name)])]));
    }
  }
}

/** The fields that an operation can't do without. */
export function requiredNames({ input }: Described): readonly unknown[] {
  return isRecord(input) && Array.isArray(input.required) ? input.required : [];
}

/** A valid input of an operation, with what the test wants to be special. */
export function sampleInput({ input }: Described, special: Json = {}): Json {
  const plain: unknown = JSON.parse(JSON.stringify(input));
  const properties = isRecord(plain) && isRecord(plain.properties) ? plain.properties : {};
  const wanted = Object.fromEntries(Object.entries(special).filter(([name]) => name in properties));
  return { ...(sample(plain) as Json), ...wanted };
}
