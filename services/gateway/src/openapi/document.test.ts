import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routeRules } from '../../generated/routes.ts';
import { openApiDocument } from './document.ts';

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  security: unknown;
  parameters?: Json[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
};
type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> };
type Document = Json & { paths: Record<string, Record<string, Operation>>; components: { responses: Json; schemas: Json } };

const document = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  expect(result.errors ?? []).toStrictEqual([]);
  expect(result.valid).toBe(true);
});

test('every operation of the OpenAPI document has its security, its errors and the 429, and every reference resolves', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, method, operation } of operations) {
    assert.ok(Array.isArray(operation.security), `${method} ${path}`);
    const needed = [
      ...(path.startsWith('/api/') ? [429] : []),
      ...((operation as unknown as Json)['x-service'] === undefined ? [] : [400, 500, 502, 503, 504]),
      // AuthZEN knows no 415.
      ...(operation.requestBody === undefined ? [] : path.startsWith('/access/') ? [400, 413] : [400, 413, 415]),
      ...(path !== '/graphql' && JSON.stringify(operation.security).includes('bearer') ? [401] : []),
      ...('x-permission' in operation ? [403] : []),
    ];
    for (const status of needed)
      expect(String(status) in operation.responses).toStrictEqualFor(`${method} ${path} says nothing of ${status}`, true);
    for (const { $ref } of Object.values(operation.responses))
      if ($ref !== undefined)
        expect($ref.replace('#/components/responses/', '') in document.components.responses).toStrictEqualFor($ref, true);
  }
});

test('every JSON request and response of the OpenAPI document has an example', () => {
  const answers = operations.flatMap(({ path, method, operation }) =>
    [operation.requestBody, ...Object.values(operation.responses)].map((holder) => ({ where: `${method} ${path}`, holder })),
  );
  const shared = Object.entries(document.components.responses).map(([where, holder]) => ({
    where,
    holder: holder as (typeof answers)[0]['holder'],
  }));
  for (const { where, holder } of [...answers, ...shared]) {
    const media = holder?.content?.['application/json'];
    if (media !== undefined) expect('example' in media || 'examples' in media).toStrictEqualFor(where, true);
  }
});

test('every example of the OpenAPI document is valid by its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = (schema: unknown, example: unknown, where: string) => {
    const isValid = ajv.compile({ ...(schema as Json), components: document.components });
    expect(isValid(example)).toStrictEqualFor(`${where}: ${JSON.stringify(example)} ${ajv.errorsText(isValid.errors)}`, true);
  };
  for (const { path, method, operation } of operations) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((holder) => Object.values(holder?.content ?? {}));
    for (const { schema, example, examples = {} } of bodies) {
      if (example !== undefined) check(schema, example, `${method} ${path}`);
      for (const [name, { value }] of Object.entries(examples)) check(schema, value, `${method} ${path} ${name}`);
    }
    for (const { name, schema, example } of operation.parameters ?? [])
      if (example !== undefined) check(schema, example, `${method} ${path} ${name}`);
  }
});

test('the longest matching route of every operation leads to its service', () => {
  const matches = (rule: string, path: string): boolean => {
    const wanted = rule.split('/');
    const given = path.split('/');
    return (
      wanted.length <= given.length &&
      wanted.every((part, index) => part === given[index] || (part.startsWith(':') && given[index]?.startsWith('{')))
    );
  };
  for (const { path, operation } of operations) {
    const service = (operation as unknown as Json)['x-service'];
    if (service === undefined) continue;
    const fitting = routeRules.filter(
      (rule) => matches(rule.path, path) && (!rule.isExact || rule.path.split('/').length === path.split('/').length),
    );
    const [longest] = fitting.sort((left, right) => right.path.length - left.path.length);
    expect(longest?.service).toStrictEqualFor(path, service);
  }
});

test('openApiDocument refuses two services with the same path', () => {
  const paths = { '/api/x': { get: { operationId: 'x', tags: [], responses: {} } } };
  expect(() => openApiDocument({ identity: paths, keys: paths }, '1')).toThrow(/claimed by identity and keys/);
});
