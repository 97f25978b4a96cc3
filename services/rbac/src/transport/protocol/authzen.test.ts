import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { documentsIn } from '../../testing/documents.ts';
import { appUrl, startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

function post(path: string, token: string | undefined, body: unknown, headers: Record<string, string> = {}) {
  return stack.request('POST', `/access/v1/${path}`, { token, body, headers });
}

/**
 * The working group's todo scenario: four roles, five people. What their identity provider calls an
 * address is `user.metadata.email` here.
 */
const people = {
  rick: ['admin', 'evil_genius'],
  morty: ['editor'],
  summer: ['editor'],
  beth: ['viewer'],
  jerry: ['viewer'],
} as const;
const email = {
  rick: 'rick@the-citadel.com',
  morty: 'morty@the-citadel.com',
  summer: 'summer@the-smiths.com',
  beth: 'beth@the-smiths.com',
  jerry: 'jerry@the-smiths.com',
};
type Person = keyof typeof people;
const names = Object.keys(people) as Person[];

async function makeTodos() {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const documents = documentsIn(stack, project, acme.token);
  const users = await documents.resource('user', ['can_read_user']);
  const todos = await documents.resource('todo', ['can_read_todos', 'can_create_todo', 'can_update_todo', 'can_delete_todo']);
  const isOwner = { Equals: { 'resource.ownerID': '{{user.metadata.email}}' } };
  const roleIds = {
    viewer: [
      await documents.role('viewer', todos, { can_read_todos: null }),
      await documents.role('viewer of users', users, { can_read_user: null }),
    ],
    editor: [await documents.role('editor', todos, { can_create_todo: null, can_update_todo: isOwner, can_delete_todo: isOwner })],
    admin: [await documents.role('admin', todos, { can_delete_todo: null })],
    evil_genius: [await documents.role('evil genius', todos, { can_update_todo: null })],
  };
  const includes = {
    viewer: ['viewer'],
    editor: ['viewer', 'editor'],
    admin: ['viewer', 'editor', 'admin'],
    evil_genius: ['viewer', 'editor', 'evil_genius'],
  } as const;
  const ids = {} as Record<Person, string>;
  for (const name of names) {
    const roles = people[name].flatMap((role) => includes[role].flatMap((included) => roleIds[included]));
    ids[name] = await stack.join(project, [...new Set(roles)]);
    stack.peers.people.set(ids[name], { name, metadata: { email: email[name] } });
  }
  // The point that enforces is a program with Decision:Evaluate.
  const key = stack.token({ userId: await acme.addMember('Admin'), type: 'apiKey', project, roleId: acme.roleId('Admin') });
  return { acme, project, documents, todos, ids, key };
}

describe('the todo scenario of the working group', () => {
  test('every decision is the expected one', async () => {
    const { ids, key } = await makeTodos();
    const others = (owner: Person, may: readonly Person[]) => (name: Person) => name === owner || may.includes(name);
    for (const name of names) {
      const isEditor = !['beth', 'jerry'].includes(name);
      const rows: readonly (readonly [string, object, boolean])[] = [
        ['can_read_user', { type: 'user', id: 'beth@the-smiths.com' }, true],
        ['can_read_todos', { type: 'todo', id: 'todo-1' }, true],
        ['can_create_todo', { type: 'todo', id: 'todo-1' }, isEditor],
        ...names.flatMap((owner) => {
          const resource = { type: 'todo', id: newId(), properties: { ownerID: email[owner] } };
          const may = isEditor && others(owner, ['rick'])(name);
          return [['can_update_todo', resource, may] as const, ['can_delete_todo', resource, may] as const];
        }),
      ];
      for (const [action, resource, expected] of rows) {
        const { status, json } = await post('evaluation', key, {
          subject: { type: 'user', id: ids[name] },
          action: { name: action },
          resource,
          context: {},
        });
        expect([status, json['decision']]).toStrictEqualFor([name, action, resource], [200, expected]);
      }
    }
  });

  test('evaluations take defaults, keep their order and stop as their semantic says', async () => {
    const { ids, key } = await makeTodos();
    const todoOf = (owner: Person) => ({ resource: { type: 'todo', id: newId(), properties: { ownerID: email[owner] } } });
    const boxcar = { subject: { type: 'user', id: ids.morty }, action: { name: 'can_update_todo' }, resource: {}, context: {} };
    const decide = async (evaluations: readonly object[], semantic?: string) => {
      const options = semantic === undefined ? {} : { options: { evaluations_semantic: semantic } };
      const { json } = await post('evaluations', key, { ...boxcar, ...options, evaluations });
      return json['evaluations']?.map(({ decision }) => decision);
    };
    const items = [todoOf('rick'), todoOf('morty'), todoOf('summer')];
    expect(await decide(items)).toStrictEqual([false, true, false]);
    expect(await decide(items, 'deny_on_first_deny')).toStrictEqual([false]);
    expect(await decide(items, 'permit_on_first_permit')).toStrictEqual([false, true]);
    expect((await post('evaluations', key, { ...boxcar, options: { evaluations_semantic: 'guess' }, evaluations: items })).status).toBe(
      400,
    );
    const withFault = await post('evaluations', key, { ...boxcar, evaluations: [todoOf('morty'), {}] });
    expect([withFault.status, withFault.json['evaluations']?.map(({ decision }) => decision)]).toStrictEqual([200, [true, false]]);
    // What an evaluation says of the resource replaces the default whole.
    const typed = { ...boxcar, resource: { type: 'todo' }, evaluations: [{ resource: { id: 'x', properties: { ownerID: email.morty } } }] };
    expect((await post('evaluations', key, typed)).json['evaluations']?.map((one) => one)).toStrictEqual([
      { decision: false, context: { error: { status: 400, message: expect.stringMatching(/resource\.type/) } } },
    ]);
    const long = { action: { name: 'x'.repeat(201) }, ...todoOf('morty') };
    expect(await decide([long, todoOf('morty')])).toStrictEqual([false, true]);
    expect((await post('evaluations', key, { ...boxcar, evaluations: Array.from({ length: 1_001 }, () => ({})) })).status).toBe(400);
    for (const evaluations of [undefined, []])
      expect((await post('evaluations', key, { ...boxcar, ...todoOf('morty'), evaluations })).json['decision']).toBe(true);
  });

  test('a large resource that many evaluations take over is refused before it is read a thousand times', async () => {
    const { ids, key } = await makeTodos();
    const properties = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`a${index}`, 0]));
    const body = {
      subject: { type: 'user', id: ids.morty },
      action: { name: 'can_read_todos' },
      resource: { type: 'todo', id: '1', properties },
    };
    const many = await post('evaluations', key, { ...body, evaluations: Array.from({ length: 1_000 }, () => ({})) });
    expect(many.status).toBe(413);
    const context = { scope: { tenant: 'organization', id: ':'.repeat(600_000) } };
    const inContext = await post('evaluations', key, {
      ...body,
      resource: { type: 'todo', id: '1' },
      context,
      evaluations: [...Array(1_000).keys()].map(() => ({})),
    });
    expect(inContext.status).toBe(413);
    const few = await post('evaluations', key, { ...body, evaluations: [{}, { resource: { type: 'todo', id: '2' } }] });
    expect(few.json['evaluations']?.map(({ decision }) => decision)).toStrictEqual([true, true]);
  });

  test('searches answer people, resources and actions, page by page', async () => {
    const { ids, key } = await makeTodos();
    const resource = { type: 'todo', id: '1', properties: { ownerID: email.morty } };
    const found: string[] = [];
    let token = '';
    do {
      const { json } = await post('search/subject', key, {
        subject: { type: 'user' },
        action: { name: 'can_update_todo' },
        resource,
        page: { limit: 1, ...(token === '' ? {} : { token }) },
      });
      found.push(...(json['results']?.map(({ id }) => `${id}`) ?? []));
      token = `${json['page']?.['next_token']}`;
    } while (token !== '');
    expect(found.toSorted()).toStrictEqual([ids.rick, ids.morty].toSorted());
    const morty = { type: 'user', id: ids.morty };
    const actions = await post('search/action', key, { subject: morty, resource });
    expect(actions.json['results']?.map(({ name }) => name)).toStrictEqual([
      'can_create_todo',
      'can_delete_todo',
      'can_read_todos',
      'can_update_todo',
    ]);
    const one = await post('search/resource', key, { subject: morty, action: { name: 'can_read_todos' }, resource: { type: 'todo' } });
    expect(one.json['results']).toStrictEqual([{ type: 'todo', id: 'todo' }]);
    const every = await post('search/resource', key, { subject: morty, action: { name: 'can_read_user' }, resource: { type: '*' } });
    expect(every.json).toStrictEqual({ results: [{ type: 'user', id: 'user' }], page: { next_token: '', count: 1 } });
    for (const [path, body] of [
      ['search/subject', { subject: { type: 'spaceship' }, action: { name: 'can_read_todos' }, resource }],
      ['search/action', { subject: { type: 'user', id: 'nonexistent-user' }, resource }],
    ] as const)
      expect((await post(path, key, body)).json['results']).toStrictEqual([]);
  });
});

test('the API gateway scenario of the working group', async () => {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const documents = documentsIn(stack, project, acme.token);
  const routes = await documents.resource('route', ['GET', 'POST', 'PUT', 'DELETE']);
  const isOn = (...paths: readonly string[]) => ({ StringIn: { 'resource.id': paths } });
  const viewer = await documents.role('viewer', routes, { GET: isOn('/todos', '/users/{userId}') });
  const editor = await documents.role('editor', routes, {
    POST: isOn('/todos'),
    PUT: isOn('/todos/{todoId}'),
    DELETE: isOn('/todos/{todoId}'),
  });
  const key = stack.token({ userId: await acme.addMember('Admin'), type: 'apiKey', project, roleId: acme.roleId('Admin') });
  for (const name of names) {
    const isEditor = !['beth', 'jerry'].includes(name);
    const id = await stack.join(project, isEditor ? [viewer, editor] : [viewer]);
    for (const [action, route, expected] of [
      ['GET', '/users/{userId}', true],
      ['GET', '/todos', true],
      ['POST', '/todos', isEditor],
      ['PUT', '/todos/{todoId}', isEditor],
      ['DELETE', '/todos/{todoId}', isEditor],
    ] as const) {
      const { json } = await post('evaluation', key, {
        subject: { type: 'user', id },
        action: { name: action },
        resource: { type: 'route', id: route },
      });
      expect(json['decision']).toStrictEqualFor([name, action, route], expected);
    }
  }
});

describe('the form of the standard', () => {
  test('unknown fields, properties of subjects and what a context says are ignored; the scope may stand in it', async () => {
    const { ids, key, acme, project } = await makeTodos();
    const question = {
      subject: { type: 'user', id: ids.beth, properties: { role: 'admin' } },
      action: { name: 'can_read_todos', properties: { a: 1 } },
    };
    const body = {
      ...question,
      resource: { type: 'todo', id: '1' },
      foo: 'bar',
      context: { time: 'x', ipAddress: '10.0.0.1', acr: 'aal2' },
    };
    const answer = await post('evaluation', key, body);
    expect(answer.json).toStrictEqual({
      decision: true,
      context: { reason: 'PERMISSION_GRANTED_NO_CONDITION', permission: 'viewer can_read_todos', role: 'viewer' },
    });
    expect((await post('evaluation', acme.token, { ...body, context: { scope: project } })).json['decision']).toBe(true);
    expect((await post('evaluation', key, { ...body, context: { scope: { tenant: 'planet', id: 'x' } } })).status).toBe(400);
  });

  test('errors are a status and a message; other methods are 405; a refusal of the right says nothing of the subject', async () => {
    const { ids, key, project } = await makeTodos();
    const good = { subject: { type: 'user', id: ids.beth }, action: { name: 'can_read_todos' }, resource: { type: 'todo', id: '1' } };
    const bad: readonly unknown[] = [
      {},
      { ...good, subject: undefined },
      { ...good, subject: 'beth' },
      { ...good, subject: { id: ids.beth } },
      { ...good, subject: { type: 'user' } },
      { ...good, action: {} },
      { ...good, action: { name: 123 } },
      { ...good, resource: { id: '1' } },
      { ...good, resource: { type: 'todo' } },
      { ...good, resource: { type: 'todo', id: '1', properties: [] } },
      [],
    ];
    for (const body of bad) {
      const { status, headers } = await post('evaluation', key, body);
      expect([status, headers.get('content-type')]).toStrictEqualFor(body, [400, 'application/json; charset=utf-8']);
    }
    for (const path of ['evaluation', 'evaluations', 'search/subject', 'search/resource', 'search/action']) {
      expect((await post(path, undefined, good)).status).toStrictEqualFor(path, 401);
      expect((await post(path, 'a.b.c', {})).status).toStrictEqualFor(path, 401);
      const get = await stack.request('GET', `/access/v1/${path}`, { token: key });
      expect([get.status, get.headers.get('allow')]).toStrictEqualFor(path, [405, 'POST']);
    }
    const outsider = stack.token({ userId: ids.beth, type: 'projectApp', project, scopes: ['todo:can_read_todos'] });
    const bodies = new Set<string>();
    for (const id of [ids.rick, newId(), 'alice']) {
      const { status, text } = await post('evaluation', outsider, { ...good, subject: { type: 'user', id } });
      expect(status).toBe(403);
      bodies.add(text);
    }
    expect(bodies.size).toBe(1);
    expect((await post('evaluation', outsider, good)).json['decision']).toBe(true);
  });

  test('the metadata names every endpoint', async () => {
    const { status, json } = await stack.request('GET', '/.well-known/authzen-configuration');
    expect([status, json]).toStrictEqual([
      200,
      {
        policy_decision_point: appUrl,
        access_evaluation_endpoint: `${appUrl}/access/v1/evaluation`,
        access_evaluations_endpoint: `${appUrl}/access/v1/evaluations`,
        search_subject_endpoint: `${appUrl}/access/v1/search/subject`,
        search_resource_endpoint: `${appUrl}/access/v1/search/resource`,
        search_action_endpoint: `${appUrl}/access/v1/search/action`,
      },
    ]);
  });
});
