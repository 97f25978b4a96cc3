type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const id = '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11';
const otherId = '0198c5f4-8e3b-7d4f-8c2a-3b7e5f9a1d22';
const thirdId = '0198c5f4-9f4c-7e5a-9d3b-4c8f6a0b2e33';
const time = '2026-01-31T12:00:00.000Z';
const token = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IuKApiJ9.…';

/** An example for a string property of this name. */
const texts: Readonly<Record<string, string>> = {
  name: 'Acme',
  allowedNetwork: '203.0.113.0/24',
  email: 'ada@example.com',
  providerId: 'ada@example.com',
  provider: 'email',
  password: 'Tr0ub4dor&Horse',
  currentPassword: 'Tr0ub4dor&Horse',
  newPassword: 'C0rrect!Battery',
  confirmPassword: 'C0rrect!Battery',
  description: 'What it is for',
  slug: 'acme',
  token: 'qXc0vYtq3mBv8yZ0hM1n2pS4rT6uW8xA',
  accessToken: token,
  refreshToken: 'b3BhcXVl…',
  filename: 'me.png',
  contentType: 'image/png',
  file: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  userAgent: 'Mozilla/5.0',
  ipAddress: '203.0.113.9',
  search: 'acme',
  resource: 'Role',
  action: 'Create',
  redirect_uri: 'https://app.example.com/callback',
  state: 'xyz',
  at: time,
  expiresAt: '2035-01-31T12:00:00.000Z',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  scope: 'document:read',
  enabledProvider: 'email',
  redirectUri: 'https://app.example.com/callback',
  postLogoutRedirectUri: 'https://app.example.com/signed-out',
  pictureUrl: 'https://example.com/pictures/me.png',
  url: 'https://example.com/pictures/me.png',
};

/** An example for an object property of this name whose schema permits any object. */
const objects: Readonly<Record<string, unknown>> = { condition: { Equals: { 'member.metadata.tier': 'gold' } } };

const fallbacks = [
  id,
  time,
  `${id}:${otherId}`,
  `${id}:${otherId}:${thirdId}`,
  'https://app.example.com/callback',
  'acme:read',
  'Acme',
  'acme',
  'a',
  '1',
];

/** A readable example that the schema allows. The same schema always gives the same example. */
export function sample(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return {};
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  // No example at all: the field is left out, because it excludes another one.
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  for (const word of ['anyOf', 'oneOf', 'allOf']) if (Array.isArray(schema[word])) return sample(schema[word][0], name);
  switch (schema['type']) {
    case 'object':
      return objects[name] ?? sampleObject(schema);
    case 'array':
      return [sample(schema['items'], singular(name))];
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return sampleText(schema, name);
    default:
      return {};
  }
}

/** The example of a tenant matches that of its id. */
const scopeIds: Readonly<Record<string, string>> = {
  account: id,
  organization: id,
  accountProject: `${id}:${otherId}`,
  organizationProject: `${id}:${otherId}`,
  accountProjectUser: `${id}:${otherId}:${thirdId}`,
  organizationProjectUser: `${id}:${otherId}:${thirdId}`,
};

function sampleObject(schema: Schema): Record<string, unknown> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const value = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, sample(property, name)]));
  const scopeId = scopeIds[String(value['tenant'])];
  return scopeId === undefined || !('id' in value) ? value : { ...value, id: scopeId };
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}

function sampleText(schema: Schema, name: string): string {
  const candidates = [texts[name], /(?:^id|Id|^kid)$/.test(name) ? id : undefined, isTime(schema, name) ? time : undefined, ...fallbacks];
  const fitting = candidates.find((candidate) => candidate !== undefined && fits(candidate, schema));
  return fitting ?? 'x'.repeat(Number(schema['minLength'] ?? 1));
}

function isTime(schema: Schema, name: string): boolean {
  return /At$/.test(name) || String(schema['description'] ?? '').startsWith('ISO 8601');
}

function fits(text: string, { pattern, minLength, maxLength }: Schema): boolean {
  return (
    (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)) &&
    text.length >= Number(minLength ?? 0) &&
    text.length <= Number(maxLength ?? 10_000)
  );
}
