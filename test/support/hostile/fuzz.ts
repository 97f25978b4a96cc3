import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Answer } from '../client.ts';
import { allOperations, callGraphql, callRest, type Declared } from '../operations.ts';
import { sampleInput } from '../sample.ts';
import type { SystemStack } from '../shared-stack.ts';
import { createPerson, createWorld, type Person, type World } from '../world.ts';
import { hostile } from './mutate.ts';

const CODES = new Set([
  'BAD_USER_INPUT',
  'VALIDATION_ERROR',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'FRESH_SIGN_IN_REQUIRED',
  'CONNECTION_REQUIRED',
  'NEW_PASSWORD_REQUIRED',
  'PRECONDITION_FAILED',
  // An account gets few codes by mail in ten minutes.
  'RATE_LIMIT_EXCEEDED',
  'SECOND_FACTOR_REQUIRED',
  'EMAIL_VERIFICATION_REQUIRED',
  'NOT_FOUND',
  'CONFLICT',
  'QUOTA_EXCEEDED',
  'TENANT_SUSPENDED',
]);
/** What no answer may contain: traces of our code, of SQL, or of a secret. */
const LEAKS =
  /node_modules|at \w+ \(|\.ts:\d+|SELECT |INSERT INTO|pg_|syntax error at|passwordHash|password_hash|secretHash|secret_hash|PRIVATE KEY|\$2[aby]\$/;
const LONGEST_MS = 5_000;

function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** An answer to anything: below 500, in the vocabulary of errors, silent about our insides. */
function assertWellBehaved({ status, body }: Answer, ms: number, what: string): void {
  expect(status < 500).toStrictEqualFor(`${what}: ${status} ${asText(body)}`, true);
  expect(ms < LONGEST_MS).toStrictEqualFor(`${what}: took ${ms} ms`, true);
  const text = asText(body);
  expect(text).toStrictEqualFor(what, expect.not.stringMatching(LEAKS));
  const codes = [
    ...(status >= 400 && body?.errors === undefined ? [body?.code] : []),
    ...(body?.errors ?? []).map((error: { extensions?: { code?: string } }) => error.extensions?.code),
  ];
  for (const code of codes) expect(CODES.has(code)).toStrictEqualFor(`${what}: code ${code} in ${text.slice(0, 500)}`, true);
}

type Described = Readonly<Record<string, Readonly<Record<string, { operationId: string; responses: object }>>>>;
const { paths }: { paths: Described } = JSON.parse(
  readFileSync(new URL('../../../services/gateway/generated/openapi.json', import.meta.url), 'utf8'),
);
const documented = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, responses }) => [operationId, responses]),
);

/** The OpenAPI document lists every response. An id with a slash matches no route: 404. */
function assertDocumented({ name, rest }: Declared, { status }: Answer): void {
  const isOfNoRoute = status === 404 && 'path' in rest && rest.path.includes(':');
  expect(isOfNoRoute || String(status) in (documented.get(name) ?? {})).toStrictEqualFor(
    `${name} answers ${status}, which OpenAPI does not say`,
    true,
  );
}

const DESTRUCTIVE = new Set(['deleteOrganization', 'removeOrganizationMember']);

function validFor(operation: Declared, world: World): Readonly<Record<string, unknown>> {
  const [resource = ''] = (operation.access.permission ?? '').split(':');
  const { scopes } = operation;
  const scope =
    scopes === 'none'
      ? undefined
      : scopes.includes('organization')
        ? world.organization
        : scopes.includes('organizationProject')
          ? world.project
          : world.owner.account;
  const id = DESTRUCTIVE.has(operation.name) ? undefined : world.ids[resource];
  return sampleInput(operation, {
    ...(scope ? { scope } : {}),
    ...(id ? { id, userId: id } : {}),
    name: 'Fuzzed',
    email: 'fuzz@example.com',
  });
}

/** Sends `runs` hostile inputs for each operation over both transports; returns odd responses. */
export async function fuzz(stack: SystemStack, runs: number, seed: number): Promise<{ sent: number; findings: readonly string[] }> {
  const world = await createWorld(stack);
  const findings: string[] = [];
  let sent = 0;
  for (const operation of allOperations) {
    const isOwn = 'signedIn' in operation.access;
    const caller: Person = isOwn ? await createPerson(stack) : world.owner;
    const valid = validFor(operation, world);
    for (const [index, input] of fc.sample(hostile(valid), { numRuns: runs, seed: seed + operation.name.length }).entries()) {
      const useGraphql = index % 2 === 1 && 'field' in operation.graphql;
      // REST's callers put names into paths and queries, which only a record has.
      const record =
        typeof input === 'object' && input !== null && !Array.isArray(input)
          ? (input as Readonly<Record<string, unknown>>)
          : { value: input };
      const ask = async () => {
        const startedAt = performance.now();
        const answer = await (useGraphql ? callGraphql : callRest)(caller.client, operation, record, caller.token);
        return { answer, ms: performance.now() - startedAt };
      };
      try {
        const first = await ask();
        // Once more where it may have been the machine.
        const { answer, ms } = first.ms < LONGEST_MS ? first : await ask();
        assertWellBehaved(answer, ms, `${operation.name} over ${useGraphql ? 'GraphQL' : 'REST'} with ${asText(input).slice(0, 600)}`);
        if (!useGraphql) assertDocumented(operation, answer);
      } catch (error) {
        findings.push(Error.isError(error) ? error.message.slice(0, 1_500) : String(error));
      }
      sent += 1;
    }
  }
  return { sent, findings };
}
