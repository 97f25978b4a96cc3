import { expect, test } from '@jest/globals';
import { operations } from '../../services/rbac/src/operations/index.ts';
import { openApiPaths } from './openapi-paths.ts';

test('every REST operation of a service has its method and path in the OpenAPI document', () => {
  const paths = openApiPaths(operations);
  const declared = operations.flatMap(({ rest }) =>
    'method' in rest ? [`${rest.method.toLowerCase()} ${rest.path.replaceAll(/:(\w+)/g, '{$1}')}`] : [],
  );
  const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect(described.sort()).toStrictEqual(declared.sort());
  expect(declared).toContain('post /api/auth/is-authorized/batch');
});

type Parameter = { readonly name: string; readonly schema: { readonly enum?: readonly string[] } };

test('the tenants of an operation are those that it accepts, in queries and in bodies', () => {
  const paths = openApiPaths(operations);
  for (const { rest, scopes } of operations) {
    if (!('method' in rest) || scopes === 'none') continue;
    const described = paths[rest.path.replaceAll(/:(\w+)/g, '{$1}')]?.[rest.method.toLowerCase()];
    const parameters = described?.['parameters'] as readonly Parameter[];
    const body = JSON.stringify(described?.['requestBody'] ?? {});
    const inQuery = parameters.find(({ name }) => name === 'tenant')?.schema.enum;
    if (inQuery !== undefined) expect([rest.path, inQuery]).toStrictEqual([rest.path, scopes]);
    if (body.includes('"tenant"')) expect(body).toContain(`"enum":${JSON.stringify(scopes)}`);
  }
});

test('a deprecated operation says so, with its days and what to use instead', () => {
  const [operation] = operations.filter(({ name }) => name === 'deleteRole');
  if (operation === undefined) throw new Error('rbac deletes no roles');
  const deprecated = { since: '2026-01-01', sunset: '2026-07-31', instead: 'archive the role' };
  const described = openApiPaths([{ ...operation, deprecated }])['/api/roles/{id}']?.['delete'];
  expect(described).toMatchObject({ deprecated: true, 'x-deprecation': deprecated });
  expect(described?.['description']).toContain('Deprecated since 2026-01-01, may be gone from 2026-07-31 on: archive the role.');
  expect(JSON.stringify(described?.['responses'])).toContain('"const":"Fri, 31 Jul 2026 00:00:00 GMT"');
  expect(openApiPaths([operation])['/api/roles/{id}']?.['delete']).not.toHaveProperty('deprecated');
});
