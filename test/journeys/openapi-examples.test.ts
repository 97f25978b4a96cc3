/** Each example of the OpenAPI document is a request that a reader can send. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import type { ScopeValue } from '../support/client.ts';
import { openStack } from '../support/shared-stack.ts';
import { createPerson, createProject, createWorld, dataOf } from '../support/world.ts';

type Json = Readonly<Record<string, unknown>>;
type Parameter = { readonly name: string; readonly in: string; readonly example?: unknown };
type Media = { readonly example?: Json; readonly examples?: Readonly<Record<string, { readonly value: Json }>> };
type Operation = {
  readonly operationId: string;
  readonly 'x-service'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
};
type Documented = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const { paths }: { paths: Documented } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** Each kind of request of an operation, or the one that it has. */
function examplesOf({ requestBody }: Operation): readonly (Json | undefined)[] {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  return examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
}
const documented = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation['x-service'] !== undefined)
    .flatMap(([method, operation]) => examplesOf(operation).map((example) => ({ path, method: method.toUpperCase(), operation, example }))),
);

const stack = await openStack();
const world = await createWorld(stack);
const { account } = world.owner;
const scopes: Readonly<Record<string, ScopeValue>> = {
  account,
  organization: world.organization,
  organizationProject: world.project,
  accountProject: await createProject(world.owner, account),
};

/** A tag of each scope, because examples name tags. */
const tags: Record<string, string> = {};
for (const [tenant, scope] of Object.entries(scopes)) {
  const { id } = dataOf(await world.owner.client.post('/api/tags', { scope, name: 'Example', color: 'blue' }, world.owner.token));
  tags[tenant] = id;
}

/** Apps are created in a project of an account, for a resource and with a role of that project. */
const document = { scope: scopes['accountProject'], name: 'Document', slug: 'document', actions: ['read'] };
dataOf(await world.owner.client.post('/api/resources', document, world.owner.token));
const appRole = { scope: scopes['accountProject'], name: 'Customer', groupIds: [] };
const { id: signUpRoleId } = dataOf(await world.owner.client.post('/api/roles', appRole, world.owner.token));

/** Refusals of what no example can know: passwords, tokens, codes and secrets. */
const unknowable = new Set([
  'errors.apiKey.wrongCredentials',
  'errors.auth.endedEmailCode',
  'errors.auth.endedRecovery',
  'errors.auth.endedSignIn',
  'errors.auth.invalidRefreshToken',
  'errors.auth.invalidToken',
  'errors.auth.wrongAddressCode',
  'errors.auth.wrongCredentials',
  'errors.auth.wrongEmailCode',
  'errors.auth.wrongSecondFactor',
  'errors.organizationInvitation.tokenUnknown',
  'errors.password.wrongCurrent',
  'errors.secondFactor.passkeyRefused',
]);

/** Not the example's own: a secret that was sent may be in no answer, and the document is one. */
const passwordSent = 'Another-Horse-42';

/** The example with every scope and tag in it replaced by a real one of the same tenant. */
function inRealScope(example: unknown, outer?: string): unknown {
  if (Array.isArray(example)) return example.map((item) => inRealScope(item, outer));
  if (!isRecord(example)) return example;
  if ('tenant' in example) return scopes[String(example['tenant'])];
  const tenant = isRecord(example['scope']) ? String(example['scope']['tenant']) : outer;
  const real = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      /password$|^clientSecret$/i.test(name) ? passwordSent : inRealScope(value, tenant),
    ]),
  );
  const tag = tags[tenant ?? ''];
  const tagged = 'tagIds' in real && tag !== undefined ? { tagIds: [tag], primaryTagId: tag } : {};
  return { ...real, ...tagged, ...('signUpRoleId' in real ? { signUpRoleId } : {}) };
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function addressOf(path: string, parameters: readonly Parameter[]): string {
  const tenant = parameters.find(({ name }) => name === 'tenant')?.example;
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, example } of parameters) {
    if (place === 'header' || name === 'cursor') continue; // of a thing or a page that was read
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(example)));
    else query.set(name, name === 'scopeId' ? String(scopes[String(tenant)]?.id) : String(example));
  }
  return query.size > 0 ? `${address}?${query}` : address;
}

test('no example of the OpenAPI document is refused as invalid in a real scope', async () => {
  const refused: string[] = [];
  const unlike: string[] = [];
  let accepted = 0;
  let repeated = 0;
  for (const { path, method, operation, example } of documented) {
    // An operation on the caller itself can end the session, so it has a caller of its own.
    const isScoped =
      JSON.stringify(operation.parameters).includes('"tenant"') || JSON.stringify(operation.requestBody ?? {}).includes('"tenant"');
    const { client, token } = isScoped ? world.owner : await createPerson(stack);
    const body = example === undefined ? {} : { body: inRealScope(example) };
    const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    const headers = takesKey ? { 'idempotency-key': randomUUID() } : {};
    const send = () => client.call(method, addressOf(path, operation.parameters), { token, headers, ...body });
    const answer = await send();
    if (takesKey && answer.status === 201) {
      const again = await send();
      repeated += 1;
      const isAlike =
        again.status === 201 && again.headers['idempotency-replayed'] === 'true' && isDeepStrictEqual(again.body, answer.body);
      if (!isAlike) unlike.push(`${operation.operationId}: ${again.status} ${JSON.stringify([answer.body, again.body])}`);
    }
    const isOfADevice = operation.operationId === 'enterDeviceCode'; // a code that no device shows
    const isWrong = [400, 401].includes(answer.status) && !unknowable.has(answer.body.translationKey) && !isOfADevice;
    if (answer.status < 300) accepted += 1;
    if (isWrong || answer.status >= 500) refused.push(`${operation.operationId}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  expect(documented.length).toBeGreaterThan(80);
  expect(refused).toStrictEqual([]);
  // What makes something makes it once for one Idempotency-Key, and answers the same.
  expect(unlike).toStrictEqual([]);
  expect(repeated).toBeGreaterThan(8);
  // The others name things by the id of the example, which does not exist.
  expect(accepted).toBeGreaterThan(35);
});
