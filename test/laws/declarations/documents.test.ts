/** What makes the gateway forget the public documents that it keeps, by the declarations. */
import { expect, test } from '@jest/globals';
import { documentFields, routeRules } from '../../../services/gateway/generated/routes.ts';
import { allOperations } from '../../support/operations.ts';

test('exactly the operations that say so expire public documents, over both transports', () => {
  const declared = allOperations.filter(({ changesDocuments }) => changesDocuments);
  const addresses = declared.flatMap(({ rest }) => ('method' in rest ? [`${rest.method} ${rest.path}`] : []));
  const methodOf = (path: string) => allOperations.flatMap(({ rest }) => ('path' in rest && rest.path === path ? [rest.method] : []));
  const expiring = routeRules
    .filter(({ changesDocuments }) => changesDocuments)
    .flatMap(({ method, path }) => (method === undefined ? methodOf(path) : [method]).map((each) => `${each} ${path}`));
  expect(expiring.toSorted()).toStrictEqual(addresses.toSorted());
  expect([...documentFields].toSorted()).toStrictEqual(
    declared.flatMap(({ graphql }) => ('field' in graphql ? [graphql.field] : [])).toSorted(),
  );
  expect(addresses).toEqual(expect.arrayContaining(['POST /api/signing-keys/rotate', 'DELETE /api/projects/:id']));
});
