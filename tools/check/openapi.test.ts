import { expect, test } from '@jest/globals';
import { publishedOpenApi, spectralFaults } from './openapi.ts';

test('the linter refuses two paths that differ only by the name of a parameter', async () => {
  const [path, twin] = ['/api/things/{id}', '/api/things/{name}'];
  const get = (name: string) => ({
    get: {
      operationId: `by-${name}`,
      description: 'Reads one',
      tags: ['things'],
      parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: { description: 'It' } },
    },
  });
  const document = { ...publishedOpenApi(), tags: [{ name: 'things' }], paths: { [path]: get('id'), [twin]: get('name') } };
  expect((await spectralFaults(document)).filter((fault) => fault.startsWith('path-params'))).toHaveLength(1);
});
