import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { startTestStack } from '../../../services/rbac/src/testing/service.ts';
import { until } from '../../support/until.ts';

/** Under load the next check on the replica sees a change, and every other within a second. */
const boundMs = 1_000;
const stack = await startTestStack({ replicas: 2 });
afterAll(() => stack.stop());

type Answer = { readonly at: number; readonly answeredAt: number; readonly authorized: boolean };
type Watch = {
  readonly answers: Answer[];
  /** Waits for answers to questions that were asked after this moment. */
  askedAfter(moment: number): Promise<Answer[]>;
  stop(): Promise<void>;
};

/** Asks one replica without a pause and keeps every answer with the time of its question. */
function watch(ask: () => Promise<boolean>): Watch {
  const answers: Answer[] = [];
  const askedAfter = (moment: number): Answer[] => answers.filter(({ at }) => at > moment);
  let going = true;
  const run = (async () => {
    while (going) {
      const at = performance.now();
      const authorized = await ask();
      answers.push({ at, answeredAt: performance.now(), authorized });
      await sleep(1);
    }
  })();
  return {
    answers,
    askedAfter: async (moment) => {
      for (let tries = 0; askedAfter(moment).length === 0 && tries < 1_000; tries += 1) await sleep(10);
      return askedAfter(moment);
    },
    stop: async () => {
      going = false;
      await run;
    },
  };
}

async function world() {
  const { token, ...acme } = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const call = async (method: string, path: string, body: object = {}) => {
    const query = method === 'DELETE' ? `${path.includes('?') ? '&' : '?'}scopeId=${project.id}&tenant=${project.tenant}` : '';
    const answer = await stack.request(method, `/api/${path}${query}`, {
      token,
      ...(method === 'DELETE' ? {} : { body: { scope: project, ...body } }),
    });
    expect(answer.status < 300).toStrictEqualFor(`${method} ${path}: ${JSON.stringify(answer.json)}`, true);
    return answer.data;
  };
  const doc = await call('POST', 'resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
  const permission = await call('POST', 'permissions', { name: 'read', action: 'Read', resourceId: doc.id });
  const group = await call('POST', 'groups', { name: 'readers', permissionIds: [permission.id] });
  const role = await call('POST', 'roles', { name: 'Reader', groupIds: [group.id] });
  const userId = await stack.join(project, [`${role.id}`]);
  const memberId = await acme.addMember('Dev');
  const account = await stack.makeAccount();
  const home = { ...account, project: await stack.makeProject(account.scope) };
  return { acme, project, call, doc, permission, group, role, userId, memberId, home };
}
type World = Awaited<ReturnType<typeof world>>;
function asOwner(w: World) {
  return { type: 'session', userId: w.acme.ownerId, tokenId: newId(), scopes: [] };
}

const never = { Equals: { 'resource.x': 1 } };
function gold(path: string) {
  return { condition: { Equals: { [`${path}.metadata.tier`]: 'gold' } } };
}

type Change = {
  /** What is asked all the time; by default what the project's own role gives. */
  readonly asked?: (w: World) => Asked;
  readonly prepare?: (w: World) => Promise<unknown>;
  /** Takes the right … */
  readonly off: (w: World) => Promise<unknown>;
  /** … and gives it back. */
  readonly on?: (w: World) => Promise<unknown>;
};
type Asked = { readonly userId: string; readonly scope: Scope; readonly action: string };

function ofMember(inProject: boolean, action: string) {
  return (w: World) => ({
    userId: w.memberId,
    action,
    scope: inProject ? w.project : w.acme.scope,
  });
}
function changeMember(role: string) {
  return (w: World) =>
    stack.clientOf(0).roles.changeMemberRole({
      actor: asOwner(w),
      scope: w.acme.scope,
      userId: w.memberId,
      roleId: w.acme.roleId(role),
    });
}
function endMembership(w: World) {
  return stack.clientOf(0).roles.endMembership({ actor: asOwner(w), scope: w.acme.scope, userId: w.memberId });
}
function joinAgain(w: World) {
  return w.acme.addMember('Dev', w.memberId);
}
function setRoles(w: World, roleIds: readonly string[]) {
  return stack.clientOf(0).roles.setSubjectRoles({ actor: asOwner(w), scope: w.project, userId: w.userId, roleIds });
}

/** Each way in which a right can come and go. */
const changes: Record<string, Change> = {
  'a condition': {
    off: ({ call, permission }) => call('PATCH', `permissions/${permission.id}`, { condition: never }),
    on: ({ call, permission }) => call('PATCH', `permissions/${permission.id}`, { condition: null }),
  },
  'a permission moved to another action': {
    off: ({ call, permission }) =>
      call('PATCH', `permissions/${permission.id}`, { resourceId: builtInResourceId('Role'), action: 'Query' }),
    on: ({ call, permission, doc }) => call('PATCH', `permissions/${permission.id}`, { resourceId: doc.id, action: 'Read' }),
  },
  'the permissions of a group': {
    off: ({ call, group }) => call('PATCH', `groups/${group.id}`, { permissionIds: [] }),
    on: ({ call, group, permission }) => call('PATCH', `groups/${group.id}`, { permissionIds: [permission.id] }),
  },
  'the groups of a role': {
    off: ({ call, role }) => call('PATCH', `roles/${role.id}`, { groupIds: [] }),
    on: ({ call, role, group }) => call('PATCH', `roles/${role.id}`, { groupIds: [group.id] }),
  },
  'what a condition reads of the role': {
    prepare: async ({ call, permission, role }) => {
      await call('PATCH', `permissions/${permission.id}`, gold('role'));
      await call('PATCH', `roles/${role.id}`, { metadata: { tier: 'gold' } });
    },
    off: ({ call, role }) => call('PATCH', `roles/${role.id}`, { metadata: {} }),
    on: ({ call, role }) => call('PATCH', `roles/${role.id}`, { metadata: { tier: 'gold' } }),
  },
  'what a condition reads of the group': {
    prepare: async ({ call, permission, group }) => {
      await call('PATCH', `permissions/${permission.id}`, gold('group'));
      await call('PATCH', `groups/${group.id}`, { metadata: { tier: 'gold' } });
    },
    off: ({ call, group }) => call('PATCH', `groups/${group.id}`, { metadata: {} }),
    on: ({ call, group }) => call('PATCH', `groups/${group.id}`, { metadata: { tier: 'gold' } }),
  },
  'a resource switched off': {
    off: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { isActive: false }),
    on: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { isActive: true }),
  },
  'an action that a resource loses': {
    off: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { actions: ['Write'] }),
    on: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { actions: ['Read'] }),
  },
  'an assignment': { off: (w) => setRoles(w, []), on: (w) => setRoles(w, [`${w.role.id}`]) },
  'a user leaving': {
    off: ({ userId, project }) => stack.tell('user.left', { userId, scope: project }),
    on: ({ userId, project, role }) => stack.join(project, [`${role.id}`], userId),
  },
  'a member’s role': { asked: ofMember(false, 'Role:Create'), off: changeMember('Viewer'), on: changeMember('Dev') },
  'a member’s role, in a project': { asked: ofMember(true, 'Role:Create'), off: changeMember('Viewer'), on: changeMember('Dev') },
  'a membership': { asked: ofMember(false, 'Role:Query'), off: endMembership, on: joinAgain },
  'a membership, in a project': { asked: ofMember(true, 'Role:Query'), off: endMembership, on: joinAgain },
  'the role deleted': { off: ({ call, role }) => call('DELETE', `roles/${role.id}`) },
  'the role deleted for good': { off: ({ call, role }) => call('DELETE', `roles/${role.id}?hardDelete=true`) },
  'the group deleted': { off: ({ call, group }) => call('DELETE', `groups/${group.id}`) },
  'the permission deleted': { off: ({ call, permission }) => call('DELETE', `permissions/${permission.id}`) },
  'the resource deleted': { off: ({ call, doc }) => call('DELETE', `resources/${doc.id}`) },
  'the user deleted': { off: ({ userId }) => stack.tell('user.deleted', { userId, hard: false }) },
  'the user deleted for good': { off: ({ userId }) => stack.tell('user.deleted', { userId, hard: true }) },
  'the project deleted': { off: ({ project }) => stack.tell('project.deleted', { scope: project, hard: false }) },
  'the project deleted for good': { off: ({ project }) => stack.tell('project.deleted', { scope: project, hard: true }) },
  'the organization deleted': {
    off: ({ acme }) => stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [], hard: false }),
  },
  'the account deleted, in a project': {
    asked: ({ home }) => ({ userId: home.ownerId, scope: home.project, action: 'Resource:Create' }),
    off: ({ home }) => stack.tell('account.deleted', { accountId: home.scope.id, projectIds: [], hard: false }),
  },
};

async function mayOverGrpc({ userId, scope, action }: Asked, replica: number) {
  return (await stack.check(userId, scope, action, { replica })).authorized;
}
function askOverRest({ userId, scope, action }: Asked) {
  const token = stack.token({ userId });
  const [resource, name] = action.split(':');
  const body = { permission: { resource, action: name }, scope };
  return async (replica: number): Promise<boolean> => {
    const { status, data } = await stack.request('POST', '/api/auth/is-authorized', { token, body, replica });
    expect(status).toBe(200);
    return `${data.authorized}` === 'true';
  };
}
function readDoc(w: World): Asked {
  return { userId: w.userId, scope: w.project, action: 'Doc:Read' };
}
function may(w: World, replica: number) {
  return mayOverGrpc(readDoc(w), replica);
}

/** Both replicas answer thousands of questions about another tenant, which changes all the time. */
async function startLoad() {
  const other = await world();
  const subject = { type: 'session', userId: other.userId, tokenId: newId(), scopes: [] };
  const ask = { subject, scope: other.project, resource: 'Doc', action: 'Read', targetJson: '', noCache: false };
  const checks = Array.from({ length: 200 }, () => ask);
  let answered = 0;
  const flood = [0, 1].flatMap((replica) =>
    Array.from({ length: 2 }, () =>
      watch(async () => {
        const { decisions } = await stack.clientOf(replica).authorization.isAuthorizedMany({ checks, explain: false });
        answered += decisions.length;
        return true;
      }),
    ),
  );
  const noise = watch(async () => {
    await other.call('PATCH', `groups/${other.group.id}`, { description: newId() });
    return true;
  });
  return async (): Promise<number> => {
    for (const one of [...flood, noise]) await one.stop();
    return answered;
  };
}

describe('under load, a change is seen', () => {
  let stopLoad: () => Promise<number>;
  beforeAll(async () => {
    stopLoad = await startLoad();
  });
  // There was no load.
  afterAll(async () => expect(await stopLoad()).toBeGreaterThan(1_000));

  for (const [what, { asked = readDoc, prepare, off, on }] of Object.entries(changes))
    test.concurrent(`at once here and within ${boundMs} ms elsewhere, over gRPC and REST: ${what}`, async () => {
      const w = await world();
      await prepare?.(w);
      const question = asked(w);
      const rest = askOverRest(question);
      const doors = { grpc: (replica: number) => mayOverGrpc(question, replica), rest };
      const steps = on === undefined ? [off] : [off, on, off];
      for (const ask of Object.values(doors)) for (const replica of [0, 1]) expect(await ask(replica)).toBe(true);
      const elsewhere = Object.entries(doors).map(([door, ask]) => ({ door, ...watch(() => ask(1)) }));
      for (const [index, run] of steps.entries()) {
        const expected = index === 1;
        await run(w);
        const doneAt = performance.now();
        for (const [door, ask] of Object.entries(doors))
          expect(await ask(0)).toStrictEqualFor(`the next check here over ${door}`, expected);
        await sleep(boundMs + 250);
        for (const { door, answers } of elsewhere) {
          const settled = () => answers.filter(({ at }) => at > doneAt + boundMs);
          await until(() => settled().length > 0);
          expect(settled().every(({ authorized }) => authorized === expected)).toStrictEqualFor(
            `a stale answer over ${door} on the other replica`,
            true,
          );
        }
      }
      for (const one of elsewhere) await one.stop();
    });
});

describe('a right that is toggled', () => {
  test('a right that is toggled all the time is never answered from state older than the bound', async () => {
    const stopLoad = await startLoad();
    const w = await world();
    const rest = askOverRest(readDoc(w));
    const watches = [watch(() => may(w, 1)), watch(() => rest(1))];
    const toggles: { startedAt: number; doneAt: number; isOn: boolean }[] = [];
    for (let round = 0; round < 15; round += 1) {
      const isOn = round % 2 === 1;
      const startedAt = performance.now();
      await w.call('PATCH', `permissions/${w.permission.id}`, { condition: isOn ? null : never });
      toggles.push({ startedAt, doneAt: performance.now(), isOn });
      // The next check on the same replica.
      expect(await may(w, 0)).toBe(isOn);
      await sleep((round % 3) * 400);
    }
    await sleep(boundMs + 250);
    for (const one of watches) await one.stop();
    await stopLoad();
    for (const { answers } of watches)
      for (const { at, answeredAt, authorized } of answers) {
        // The states that were true at some moment between the bound before the question and its
        // answer.
        const last = toggles.findLastIndex(({ doneAt }) => doneAt < at - boundMs);
        const states = [
          last === -1 || toggles[last]?.isOn,
          ...toggles.filter(({ startedAt }, index) => index > last && startedAt < answeredAt).map(({ isOn }) => isOn),
        ];
        expect(states.includes(authorized)).toStrictEqualFor(`an answer from state older than ${boundMs} ms`, true);
      }
  });
});

describe('a consistency token', () => {
  test('a consistency token makes the other replica answer from no older state at once', async () => {
    const w = await world();
    const token = stack.token({ userId: w.acme.ownerId });
    expect(await may(w, 1)).toBe(true);
    for (let round = 0; round < 20; round += 1) {
      const isOn = round % 2 === 1;
      const body = { scope: w.project, condition: isOn ? null : never };
      const { headers } = await stack.request('PATCH', `/api/permissions/${w.permission.id}`, { token, body });
      const consistencyToken = headers.get('x-consistency-token') ?? '';
      expect(consistencyToken).toBeTruthy();
      const overGrpc = await stack.check(w.userId, w.project, 'Doc:Read', { replica: 1, consistencyToken });
      expect(overGrpc.authorized).toBe(isOn);
      const question = { permission: { resource: 'Doc', action: 'Read' }, scope: w.project };
      const other = stack.token({ userId: w.userId });
      const overRest = await stack.request('POST', '/api/auth/is-authorized', {
        token: other,
        body: question,
        replica: 1,
        headers: { 'x-consistency-token': consistencyToken },
      });
      expect(overRest.data.authorized).toBe(isOn);
    }
  });

  test('no-cache makes the other replica read the rights again', async () => {
    const w = await world();
    const token = stack.token({ userId: w.acme.ownerId });
    for (let round = 0; round < 10; round += 1) {
      const isOn = round % 2 === 1;
      await stack.request('PATCH', `/api/permissions/${w.permission.id}`, {
        token,
        body: { scope: w.project, condition: isOn ? null : never },
      });
      const { authorized } = await stack.check(w.userId, w.project, 'Doc:Read', { replica: 1, noCache: true });
      expect(authorized).toBe(isOn);
      const question = { permission: { resource: 'Doc', action: 'Read' }, scope: w.project };
      const headers = { 'cache-control': 'no-cache' };
      const rest = await stack.request('POST', '/api/auth/is-authorized', {
        token: stack.token({ userId: w.userId }),
        body: question,
        replica: 1,
        headers,
      });
      expect(rest.data.authorized).toBe(isOn);
    }
  });

  test('a malformed consistency token demands nothing', async () => {
    const w = await world();
    for (const consistencyToken of ['x', '', Buffer.from('a b c d').toString('base64url'), 'é'.repeat(300)])
      expect((await stack.check(w.userId, w.project, 'Doc:Read', { consistencyToken })).authorized).toBe(true);
  });
});
