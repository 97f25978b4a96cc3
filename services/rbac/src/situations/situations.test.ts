import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { MalformedCondition, operators, parseCondition } from '@tessera/rules/condition';
import { decodeJwt } from 'jose';
import { startTestStack } from '../testing/service.ts';
import { type Built, buildWorld } from './build.ts';
import { answerFromModel, withIds } from './model.ts';
import { conditionsStory, type Situation, tenantsStory } from './world.ts';

/** One table of cases through the domain function, REST, GraphQL, gRPC and AuthZEN. */
const stories = { tenants: tenantsStory(), conditions: conditionsStory() };
const query = `query ($input: IsAuthorizedInput!) { isAuthorized(input: $input) {
  authorized reason matchedPermission { name } matchedCondition evaluatedContext } }`;

type Decision = Awaited<ReturnType<ReturnType<typeof stack.clientOf>['authorization']['isAuthorized']>>;
type Seen = { authorized: unknown; reason: unknown; by: unknown };

const stack = await startTestStack();
afterAll(() => stack.stop());

/** Requests that are made together may be answered in different milliseconds. */
function withoutTime({ evaluatedContextJson, ...decision }: Decision): Decision {
  if (evaluatedContextJson === undefined) return decision;
  const { context, ...evaluated } = JSON.parse(evaluatedContextJson);
  if (context?.time === undefined) return { ...decision, evaluatedContextJson };
  expect(Math.abs(Date.now() - Date.parse(context.time))).toBeLessThan(60_000);
  return { ...decision, evaluatedContextJson: JSON.stringify({ ...evaluated, context: { ...context, time: '' } }) };
}

test('there are at least 150 situations (spec:claims.11, spec:project-oauth.2, spec:isolation.1)', () =>
  expect(Object.values(stories).reduce((sum, { situations }) => sum + situations.length, 0)).toBeGreaterThanOrEqual(150));

describe('each operator', () => {
  const { world, situations } = stories.conditions;
  const casesOf = (operator: string) =>
    situations
      .filter(({ may }) => Object.hasOwn(Object(world.permissions[may.split(':')[1] ?? '']?.when), operator))
      .map(({ is, given = {} }) => ({ holds: is === 'PERMISSION_GRANTED_CONDITION_MET', isMissing: Object.keys(given).length === 0 }));
  for (const operator of [...Object.keys(operators), 'And', 'Or', 'Not'])
    test(`situations show it true, false and with a missing path: ${operator}`, () => {
      const cases = casesOf(operator);
      expect(cases.some(({ holds, isMissing }) => holds && !isMissing)).toBe(true);
      expect(cases.some(({ holds, isMissing }) => !holds && !isMissing)).toBe(true);
      expect(cases.some(({ holds, isMissing }) => isMissing && holds === (operator === 'Not'))).toBe(true);
    });
});

for (const [story, { world, situations, malformed }] of Object.entries(stories))
  describe(`situations of ${story}`, () => {
    let built: Built;
    beforeAll(async () => {
      built = await buildWorld(stack, world);
    });

    const tokenOf = ({ who, with: given }: Situation): string => {
      const userId = built.idOf(who);
      if (given === undefined) return stack.token({ userId });
      const { token: type, of, scopes, role } = given;
      const roleId = role === undefined ? {} : { roleId: built.roleIdOf(role) };
      return stack.token({
        userId,
        type,
        project: built.scopeOf(of),
        ...(type === 'projectApp' ? { scopes: scopes ?? [] } : {}),
        ...roleId,
      });
    };
    const inputOf = ({ where, may, given }: Situation) => {
      const [resource, action] = may.split(':');
      return {
        permission: { resource, action },
        ...(given === undefined ? {} : { context: { resource: withIds(given, built) } }),
        ...(where === undefined ? {} : { scope: built.scopeOf(where) }),
      };
    };
    const overRest = async (situation: Situation): Promise<Seen> => {
      const { status, data, json } = await stack.request('POST', '/api/auth/is-authorized', {
        token: tokenOf(situation),
        body: inputOf(situation),
      });
      expect(status).toStrictEqualFor(json, 200);
      return { authorized: data.authorized, reason: data.reason, by: data.matchedPermission?.name };
    };
    const overGraphql = async (situation: Situation): Promise<Seen> => {
      const { json } = await stack.graphql(query, { input: inputOf(situation) }, { token: tokenOf(situation) });
      expect(json.errors).toStrictEqualFor(json, undefined);
      const decision = json.data?.isAuthorized;
      return { authorized: decision?.authorized, reason: decision?.reason, by: decision?.matchedPermission?.name };
    };
    const overGrpc = async ({ who, where, with: given, may, given: target }: Situation): Promise<Seen> => {
      const [resource = '', action = ''] = may.split(':');
      const userId = built.idOf(who);
      const subject = {
        type: given?.token ?? 'session',
        userId,
        tokenId: newId(),
        scopes: given?.scopes ?? [],
        ...(given ? { tokenScope: joinTokenScope(built.scopeOf(given.of), userId) } : {}),
        ...(given?.role ? { roleId: built.roleIdOf(given.role) } : {}),
      };
      const scope = where === undefined ? { tenant: '', id: '' } : built.scopeOf(where);
      const targetJson = target === undefined ? '' : JSON.stringify(withIds(target, built));
      const check = { subject, scope, resource, action, targetJson, noCache: false };
      const { authorization } = stack.clientOf(0);
      const [plain, one, many] = await Promise.all([
        authorization.isAuthorized(check),
        authorization.isAuthorized({ ...check, explain: true }),
        authorization.isAuthorizedMany({ checks: [check], explain: true }),
      ]);
      expect(plain).toStrictEqual({ authorized: one.authorized, reason: one.reason });
      expect(many.decisions.map(withoutTime)).toStrictEqual([withoutTime(one)]);
      const matched = one.matchedPermissionJson === undefined ? undefined : JSON.parse(one.matchedPermissionJson);
      return { authorized: one.authorized, reason: one.reason, by: matched?.name };
    };
    /** Callers name themselves: users by their id, keys by that of the key. */
    const overAuthzen = async (situation: Situation): Promise<Seen> => {
      const token = tokenOf(situation);
      const { permission, context, scope } = inputOf(situation);
      const id = situation.with?.token === 'apiKey' ? decodeJwt(token).jti : built.idOf(situation.who);
      const { status, json } = await stack.request('POST', '/access/v1/evaluation', {
        token,
        body: {
          subject: { type: situation.with?.token === 'apiKey' ? 'apiKey' : 'user', id },
          action: { name: permission.action },
          resource: { type: permission.resource, id: `${Object(context?.resource).id ?? newId()}`, properties: context?.resource ?? {} },
          context: scope === undefined ? {} : { scope },
        },
      });
      expect(status).toStrictEqualFor(json, 200);
      return { authorized: json['decision'], reason: json['context']?.['reason'], by: json['context']?.['permission'] };
    };

    for (const situation of situations) {
      const { says, who, may, where, is, by } = situation;
      test(`${who} ${may} in ${where ?? 'no scope'} → ${is} (${says})`, async () => {
        const { authorized, reason, grant } = answerFromModel(world, situation, built);
        const expected = { authorized: is.startsWith('PERMISSION_GRANTED'), reason: is };
        const seen: Record<string, Seen> = {
          domain: { authorized, reason, by: grant?.permissionName },
          rest: await overRest(situation),
          graphql: await overGraphql(situation),
          grpc: await overGrpc(situation),
          authzen: await overAuthzen(situation),
        };
        for (const [door, { by: decidedBy, ...decision }] of Object.entries(seen)) {
          expect(decision).toStrictEqualFor(door, expected);
          if (by !== undefined) expect(decidedBy).toStrictEqualFor(door, by);
        }
      });
    }

    for (const condition of malformed)
      test(`refuses the malformed condition ${JSON.stringify(condition)}`, async () => {
        expect(() => parseCondition(condition)).toThrow(MalformedCondition);
        const body = {
          scope: built.scopeOf('lab'),
          name: 'malformed',
          action: 'Create',
          resourceId: builtInResourceId('Role'),
          condition,
        };
        const { status, json } = await stack.request('POST', '/api/permissions', {
          token: stack.token({ userId: built.idOf('olivia') }),
          body,
        });
        expect([status, json.code, json.extensions?.field]).toStrictEqual([400, 'VALIDATION_ERROR', 'condition']);
      });
  });
