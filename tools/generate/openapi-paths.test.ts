import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../services/rbac/src/operations/index.ts';
import { openApiPaths } from './openapi-paths.ts';

test('every REST operation of a service has its method and path in the OpenAPI document', () => {
  const paths = openApiPaths(operations);
  const declared = operations.flatMap(({ rest }) =>
    'method' in rest ? [`${rest.method.toLowerCase()} ${rest.path.replaceAll(/:(\w+)/g, '{$1}')}`] : [],
  );
  const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  assert.deepEqual(described.sort(), declared.sort());
  assert.ok(declared.includes('post /api/auth/is-authorized/batch'));
});
