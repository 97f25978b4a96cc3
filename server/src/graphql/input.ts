type Json = Readonly<Record<string, unknown>>;
function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function allowsNull(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  return schema.type === 'null' || (Array.isArray(schema.anyOf) && schema.anyOf.some(allowsNull));
}

/** Drops nulls that the schema does not allow: GraphQL clients send null for 'not given'. */
export function withoutIdleNulls(schema: unknown, value: unknown): unknown {
  if (!isRecord(value) || !isRecord(schema) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  const kept = Object.entries(value).filter(([name, item]) => item !== null || allowsNull(properties[name]));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutIdleNulls(properties[name], item)]));
}
