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
