import { expect, test } from '@jest/globals';
import { joinSamePaths } from './openapi-same-paths.ts';

test('paths that differ only by the name of a parameter become one path of all their methods', () => {
  const inPath = (name: string) => ({ parameters: [{ name, in: 'path' }] });
  const joined = joinSamePaths({
    '/x/{id}': { delete: inPath('id') },
    '/x/{id}/more': { get: inPath('id') },
    '/x/{token}': { get: { parameters: [...inPath('token').parameters, { name: 'token', in: 'query' }] } },
  });
  expect(joined).toStrictEqual({
    '/x/{id}': {
      delete: inPath('id'),
      get: {
        parameters: [
          { name: 'id', in: 'path', description: '`token` in GraphQL and the client' },
          { name: 'token', in: 'query' },
        ],
      },
    },
    '/x/{id}/more': { get: inPath('id') },
  });
});
