/** What counts as an attempt to sign in, by the declarations and the table of the gateway. */
import { describe, expect, test } from '@jest/globals';
import { markedFields } from '@tessera/kernel/telemetry';
import { authFields, routeRules } from '../../../services/gateway/generated/routes.ts';
import { allOperations } from '../../support/operations.ts';

describe('the auth limit [spec:limits.2]', () => {
  const ruleOf = (path: string, method = 'POST') =>
    routeRules
      .filter((rule) => (rule.method ?? method) === method)
      .filter((rule) => path === rule.path || (!rule.isExact && path.startsWith(`${rule.path}/`)))
      // As the gateway routes: of one path the exact rule of a method comes before the rest.
      .sort((left, right) => right.path.length - left.path.length || Number(right.isExact === true) - Number(left.isExact === true))[0];
  for (const { name, rest, graphql } of allOperations) {
    if (!('method' in rest) || !('field' in graphql)) continue;
    const isLimited = ruleOf(rest.path, rest.method)?.limit === 'auth';
    if (isLimited || authFields.has(graphql.field))
      test(`counts ${name} over both transports`, () => expect([isLimited, authFields.has(graphql.field)]).toStrictEqual([true, true]));
  }
  test('counts sign-in, registration, refresh, password reset, token exchange and magic links', () => {
    const paths = [
      'login',
      'register',
      'refresh',
      'request-password-reset',
      'reset-password',
      'token',
      'cli-callback',
      'project/email/request',
    ];
    for (const path of paths) expect(ruleOf(`/api/auth/${path}`)?.limit).toStrictEqualFor(path, 'auth');
  });
  test('counts tries of the current password, too', () => expect(ruleOf('/api/me/change-password')?.limit).toBe('auth'));

  /** Operations that take a secret and do not say how attempts are counted. */
  const unlimited = (list: readonly { readonly name: string; readonly input: unknown; readonly limit?: unknown }[]) =>
    list.filter(({ input, limit }) => limit === undefined && markedFields(input).length > 0).map(({ name }) => name);

  test('counts every operation that takes a secret, or its declaration says why not', () => {
    expect(unlimited(allOperations)).toStrictEqual([]);
    const forgotten = { name: 'forget', input: { type: 'object', properties: { pin: { type: 'string', secret: true } } } };
    expect(unlimited([forgotten])).toStrictEqual(['forget']);
  });

  test('counts the route of every declaration that says so', () => {
    const counted = allOperations.filter(({ limit, rest }) => limit === 'auth' && 'method' in rest);
    for (const { name, rest } of counted) expect('method' in rest && ruleOf(rest.path, rest.method)?.limit).toStrictEqualFor(name, 'auth');
    expect(counted.length).toBeGreaterThan(20);
  });
});
