import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '../domain/ids.ts';
import { startTestStack, type TestStack } from '../testing.ts';

/** Whatever changes is seen by the next check on the same replica, and within a second on every other, under load. */
const boundMs = 1_000;
let stack: TestStack;
before(async () => {
  stack = await startTestStack({ replicas: 2 });
});
after(() => stack.stop());

type Watch = { readonly answers: { at: number; authorized: boolean }[]; stop(): Promise<void> };

/** Asks one replica without a pause and writes down every answer with the time at which it was asked. */
const watch = (ask: () => Promise<boolean>): Watch => {
  const answers: Watch['answers'] = [];
  let going = true;
  const run = (async () => {
    while (going) {
      const at = performance.now();
      answers.push({ at, authorized: await ask() });
      await sleep(1);
    }
  })();
  return {
    answers,
    stop: async () => {
      going = false;
      await run;
    },
  };
};

const world = async () => {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const token = stack.token({ userId: acme.ownerId });
  const call = async (method: string, path: string, body: object = {}) => {
    const query = method === 'DELETE' ? `?scopeId=${project.id}&tenant=${project.tenant}` : '';
    const answer = await stack.request(method, `/api/${path}${query}`, {
      token,
      ...(method === 'DELETE' ? {} : { body: { scope: project, ...body } }),
    });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.json)}`);
    return answer.data;
  };
  const doc = await call('POST', 'resources', { name: 'Doc', slug: 'Doc', actions: ['Read'] });
  const permission = await call('POST', 'permissions', { name: 'read', action: 'Read', resourceId: doc.id });
  const group = await call('POST', 'groups', { name: 'readers', permissionIds: [permission.id] });
  const role = await call('POST', 'roles', { name: 'Reader', groupIds: [group.id] });
  const userId = await stack.join(project, [`${role.id}`]);
  return { acme, project, call, doc, permission, group, role, userId };
};
type World = Awaited<ReturnType<typeof world>>;
const asOwner = (w: World) => ({ type: 'session', userId: w.acme.ownerId, tokenId: newId(), scopes: [] });

const never = { Equals: { 'resource.x': 1 } };
/** Each way in which a right can come and go: `off` takes it, `on` gives it back. */
const changes: Record<string, { off: (w: World) => Promise<unknown>; on?: (w: World) => Promise<unknown> }> = {
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
  'a resource switched off': {
    off: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { isActive: false }),
    on: ({ call, doc }) => call('PATCH', `resources/${doc.id}`, { isActive: true }),
  },
  'an assignment': {
    off: (w) => stack.clientOf(0).roles.setSubjectRoles({ actor: asOwner(w), scope: w.project, userId: w.userId, roleIds: [] }),
    on: (w) =>
      stack.clientOf(0).roles.setSubjectRoles({ actor: asOwner(w), scope: w.project, userId: w.userId, roleIds: [`${w.role.id}`] }),
  },
  'a user leaving': {
    off: ({ userId, project }) => stack.tell('user.left', { userId, scope: project }),
    on: ({ userId, project, role }) => stack.join(project, [`${role.id}`], userId),
  },
  'the role deleted': { off: ({ call, role }) => call('DELETE', `roles/${role.id}`) },
  'the group deleted': { off: ({ call, group }) => call('DELETE', `groups/${group.id}`) },
  'the permission deleted': { off: ({ call, permission }) => call('DELETE', `permissions/${permission.id}`) },
  'the resource deleted': { off: ({ call, doc }) => call('DELETE', `resources/${doc.id}`) },
  'the user deleted': { off: ({ userId }) => stack.tell('user.deleted', { userId, hard: false }) },
  'the project deleted': { off: ({ project }) => stack.tell('project.deleted', { scope: project, hard: false }) },
  'the organization deleted': {
    off: ({ acme }) => stack.tell('organization.deleted', { organizationId: acme.id, projectIds: [], hard: false }),
  },
};

const may = async (w: World, replica: number, scope: Scope = w.project) =>
  (await stack.check(w.userId, scope, 'Doc:Read', { replica })).authorized;

describe('a change is seen', { concurrency: true }, () => {
  for (const [what, { off, on }] of Object.entries(changes)) {
    it(`at once here and within ${boundMs} ms elsewhere: ${what}`, async () => {
      const w = await world();
      const steps =
        on === undefined ? [{ run: off, expected: false }] : [off, on, off].map((run, index) => ({ run, expected: index === 1 }));
      for (const replica of [0, 1]) assert.equal(await may(w, replica), true);
      const elsewhere = watch(() => may(w, 1));
      for (const { run, expected } of steps) {
        await run(w);
        const doneAt = performance.now();
        assert.equal(await may(w, 0), expected, 'the next check on the same replica');
        await sleep(boundMs + 100);
        const late = elsewhere.answers.filter(
          ({ at, authorized }) => at > doneAt + boundMs && at < doneAt + boundMs + 90 && authorized !== expected,
        );
        assert.deepEqual(late, [], 'a stale answer on the other replica');
        assert.equal(await may(w, 1), expected);
      }
      await elsewhere.stop();
    });
  }

  it('at once here also for members in projects, when the organization changes', async () => {
    const acme = await stack.makeOrganization();
    const project = await stack.makeProject(acme.scope);
    const userId = await acme.addMember('Dev');
    for (const role of ['Viewer', 'Dev', 'Viewer']) {
      await stack.clientOf(0).roles.changeMemberRole({
        actor: { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] },
        ...{ scope: acme.scope, userId, roleId: acme.roleId(role) },
      });
      assert.equal((await stack.check(userId, project, 'Role:Create')).authorized, role === 'Dev');
    }
  });
});

describe('under load', () => {
  it('no answer is ever staler than the bound, while both replicas answer thousands and other tenants change', async () => {
    const [w, other] = [await world(), await world()];
    const subject = { type: 'session', userId: w.userId, tokenId: newId(), scopes: [] };
    const ask = { subject, scope: w.project, resource: 'Doc', action: 'Read', targetJson: '', noCache: false };
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
    const elsewhere = watch(() => may(w, 1));
    const toggles: { startedAt: number; doneAt: number; isOn: boolean }[] = [];
    for (let round = 0; round < 6; round += 1) {
      const isOn = round % 2 === 1;
      const startedAt = performance.now();
      await w.call('PATCH', `permissions/${w.permission.id}`, { condition: isOn ? null : never });
      toggles.push({ startedAt, doneAt: performance.now(), isOn });
      assert.equal(await may(w, 0), isOn, 'the next check on the same replica');
      await sleep(boundMs + 250);
    }
    for (const one of [...flood, noise, elsewhere]) await one.stop();
    for (const [index, { doneAt, isOn }] of toggles.entries()) {
      const until = toggles[index + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
      const settled = elsewhere.answers.filter(({ at }) => at > doneAt + boundMs && at < until - 50);
      assert.ok(settled.length > 0);
      assert.ok(settled.every(({ authorized }) => authorized === isOn));
    }
    assert.ok(answered > 10_000, `only ${answered} answers`);
  });
});

describe('a consistency token', () => {
  it('makes the other replica answer from no older state, at once', async () => {
    const w = await world();
    const token = stack.token({ userId: w.acme.ownerId });
    assert.equal(await may(w, 1), true);
    for (let round = 0; round < 20; round += 1) {
      const isOn = round % 2 === 1;
      const body = { scope: w.project, condition: isOn ? null : never };
      const { headers } = await stack.request('PATCH', `/api/permissions/${w.permission.id}`, { token, body });
      const consistencyToken = headers.get('x-consistency-token') ?? '';
      assert.ok(consistencyToken);
      const overGrpc = await stack.check(w.userId, w.project, 'Doc:Read', { replica: 1, consistencyToken });
      assert.equal(overGrpc.authorized, isOn);
      const question = { permission: { resource: 'Doc', action: 'Read' }, scope: w.project };
      const other = stack.token({ userId: w.userId });
      const overRest = await stack.request('POST', '/api/auth/is-authorized', {
        token: other,
        body: question,
        replica: 1,
        headers: { 'x-consistency-token': consistencyToken },
      });
      assert.equal(overRest.data.authorized, isOn);
    }
  });

  it('and no-cache alike ask past what is in memory', async () => {
    const w = await world();
    const token = stack.token({ userId: w.acme.ownerId });
    for (let round = 0; round < 10; round += 1) {
      const isOn = round % 2 === 1;
      await stack.request('PATCH', `/api/permissions/${w.permission.id}`, {
        token,
        body: { scope: w.project, condition: isOn ? null : never },
      });
      const { authorized } = await stack.check(w.userId, w.project, 'Doc:Read', { replica: 1, noCache: true });
      assert.equal(authorized, isOn);
      const question = { permission: { resource: 'Doc', action: 'Read' }, scope: w.project };
      const headers = { 'cache-control': 'no-cache' };
      const rest = await stack.request('POST', '/api/auth/is-authorized', {
        token: stack.token({ userId: w.userId }),
        body: question,
        replica: 1,
        headers,
      });
      assert.equal(rest.data.authorized, isOn);
    }
  });

  it('that is nonsense demands nothing', async () => {
    const w = await world();
    for (const consistencyToken of ['x', '', Buffer.from('a b c d').toString('base64url'), 'é'.repeat(300)]) {
      assert.equal((await stack.check(w.userId, w.project, 'Doc:Read', { consistencyToken })).authorized, true);
    }
  });
});
