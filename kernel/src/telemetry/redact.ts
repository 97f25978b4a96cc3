/** Fields that log lines never show. Schemas add theirs with `secret: true`. */
export const secretFields: readonly string[] = [
  'password',
  'newPassword',
  'currentPassword',
  'confirmPassword',
  'token',
  'accessToken',
  'refreshToken',
  'idToken',
  'clientSecret',
  'secret',
  'secretHash',
  'passwordHash',
  'privateKey',
  'providerData',
  'code',
  'authorization',
  'cookie',
  'set-cookie',
  'x-tessera-service',
];

const CENSORED = '[redacted]';
const MAX_DEPTH = 8;

function isPlain(value: object): boolean {
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

export function createRedactor(names: readonly string[]): <Value>(value: Value) => Value {
  const hidden = new Set(names.map((name) => name.toLowerCase()));
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    if (depth > MAX_DEPTH) return '[deep]';
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        hidden.has(name.toLowerCase()) && isSecret(part) ? CENSORED : copy(part, depth + 1),
      ]),
    );
  };
  return (value) => copy(value, 0) as typeof value;
}

/** Numbers and flags are no secrets: `code: 23505` of a database error stays. */
function isSecret(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

export function markedFields(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own =
    'properties' in schema && typeof schema.properties === 'object' && schema.properties !== null ? Object.entries(schema.properties) : [];
  const marked = own.filter(([, property]) => (property as { secret?: unknown }).secret === true).map(([name]) => name);
  return [...marked, ...Object.values(schema).flatMap(markedFields)];
}
