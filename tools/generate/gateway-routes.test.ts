import { describe, expect, test } from '@jest/globals';
import { rulesOf, type Served } from './gateway-routes.ts';

const none: Served = { operations: [], protocols: [] };
const served = { identity: none, tenancy: none, rbac: none, keys: none };
type Own = Served['operations'][number];
const graphql = { none: 'not here' } as const;
const read: Own = { rest: { method: 'GET', path: '/api/things/:id' }, graphql };
const write: Own = { rest: { method: 'POST', path: '/api/things/:thingId' }, graphql };

describe('the rules of the gateway from the declarations', () => {
  test('an operation without needs of its own follows the rule of its first words', () => {
    expect(rulesOf({ ...served, rbac: { operations: [read, write], protocols: [] } })).toStrictEqual([
      { path: '/api/things', service: 'rbac' },
    ]);
  });

  test('what one of two operations at a path needs counts for its method only, whatever its parameter is called', () => {
    const rules = rulesOf({ ...served, rbac: { operations: [read, { ...write, limit: 'auth' }], protocols: [] } });
    expect(rules[1]).toStrictEqual({ path: '/api/things/:thingId', service: 'rbac', method: 'POST', limit: 'auth', isExact: true });
    const alone = rulesOf({ ...served, rbac: { operations: [{ ...write, limit: 'auth' }], protocols: [] } });
    expect(alone[1]).toStrictEqual({ path: '/api/things/:thingId', service: 'rbac', limit: 'auth', isExact: true });
  });

  test('an operation of another service, or with a larger body, has a rule of its own', () => {
    const rest = { method: 'POST', path: '/api/things/import', bodyLimitBytes: 2_000_000 } as const;
    const rules = rulesOf({
      ...served,
      tenancy: { operations: [read, write], protocols: [] },
      keys: { operations: [{ rest, graphql }], protocols: [] },
    });
    expect(rules).toStrictEqual([
      { path: '/api/things', service: 'tenancy' },
      { path: '/api/things/import', service: 'keys', bodyLimitBytes: 2_000_000, isExact: true },
    ]);
  });

  test('a path that two services claim stops the generation', () => {
    const protocols = [{ path: '/things' }];
    expect(() => rulesOf({ ...served, keys: { operations: [], protocols }, rbac: { operations: [], protocols } })).toThrow(
      '/things is claimed by rbac and keys',
    );
  });
});
