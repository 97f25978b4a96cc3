import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { untyped } from '../../ground/domain/project-app.ts';
import { holdScope } from '../../ground/storage/ended-scopes.ts';
import { type OauthService, startOauth } from '../../testing/oauth.ts';
import { type Answer, type Registered, registered } from '../../testing/service.ts';
import { findProjectAppByClient, insertProjectApp } from '../storage/project-apps.ts';

type Scope = { readonly tenant: string; readonly id: string };
type Transport = {
  readonly name: string;
  create(input: object, token: string): Promise<Outcome>;
  list(input: Record<string, unknown> & { scope: Scope }, token: string): Promise<Outcome>;
  update(input: Record<string, unknown> & { id: string }, token: string): Promise<Outcome>;
  remove(input: { scope: Scope; id: string; hardDelete?: boolean }, token: string): Promise<Outcome>;
};
/** The same for both transports: what came, or the code and the field of the refusal. */
type Outcome = { readonly data?: Answer['body']; readonly code?: string; readonly field?: string };

let service: OauthService;
let owner: Registered;
beforeAll(async () => {
  service = await startOauth();
  owner = await registered(service);
});
afterAll(async () => service.stop());

function newScope(tenant = 'organizationProject'): Scope {
  return { tenant, id: `${newId()}:${newId()}` };
}
function inQuery({ tenant, id }: Scope) {
  return `tenant=${tenant}&scopeId=${encodeURIComponent(id)}`;
}
const redirectUris = ['https://client.example/cb'];

function ofRest({ body }: Answer): Outcome {
  return body.success ? { data: body.data } : { code: body.code, field: body.extensions?.field };
}
const rest: Transport = {
  name: 'REST',
  create: async (body, token) => ofRest(await service.ask('POST', '/api/project-apps', { body, token })),
  list: async ({ scope, ...more }, token) =>
    ofRest(
      await service.ask('GET', `/api/project-apps?${inQuery(scope)}&${new URLSearchParams(more as Record<string, string>)}`, { token }),
    ),
  update: async ({ id, ...body }, token) => ofRest(await service.ask('PATCH', `/api/project-apps/${id}`, { body, token })),
  remove: async ({ scope, id, hardDelete }, token) =>
    ofRest(await service.ask('DELETE', `/api/project-apps/${id}?${inQuery(scope)}${hardDelete ? '&hardDelete=true' : ''}`, { token })),
};

const fields = 'id projectId clientId name redirectUris scopes enabledProviders allowSignUp signUpRoleId createdAt updatedAt deletedAt';
async function ask(field: string, document: string, input: object, token: string): Promise<Outcome> {
  const { body } = await service.graphql(document, { input }, { token });
  const [error] = body.errors ?? [];
  return error === undefined ? { data: body.data[field] } : { code: error.extensions.code, field: error.extensions.field };
}
function mutation(name: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  return (input: object, token: string) => ask(name, `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`, input, token);
}
const graphql: Transport = {
  name: 'GraphQL',
  create: mutation('createProjectApp'),
  update: mutation('updateProjectApp'),
  remove: mutation('deleteProjectApp'),
  list: async (input, token) => {
    const document = `query ($input: ProjectAppsInput!) { projectApps(input: $input) { projectApps { ${fields} } totalCount hasNextPage } }`;
    const { data, ...refusal } = await ask('projectApps', document, input, token);
    return data === undefined ? refusal : { data: { items: data.projectApps, totalCount: data.totalCount, hasNextPage: data.hasNextPage } };
  },
};

for (const transport of [rest, graphql]) {
  describe(`project apps over ${transport.name}`, () => {
    test('create, list, update, delete [spec:apps.1-5]', async () => {
      for (const tenant of ['accountProject', 'organizationProject']) {
        const scope = newScope(tenant);
        const created = await transport.create({ scope, name: 'Shop', redirectUris, scopes: ['order:read'] }, owner.accessToken);
        const app = created.data;
        expect([created, Boolean(app)]).toStrictEqual([created, true]);
        expect(app.clientId).toMatch(/^app_[\w-]{32}$/);
        expect([
          app.projectId,
          app.name,
          app.redirectUris,
          app.scopes,
          app.enabledProviders,
          app.allowSignUp,
          app.signUpRoleId,
          app.deletedAt,
        ]).toStrictEqual([scope.id.split(':')[1], 'Shop', redirectUris, ['order:read'], [], false, null, null]);
        const listed = await transport.list({ scope }, owner.accessToken);
        expect([listed.data.items, listed.data.totalCount, listed.data.hasNextPage]).toStrictEqual([[app], 1, false]);
        const updated = await transport.update({ scope, id: app.id, name: 'Store', enabledProviders: ['email'] }, owner.accessToken);
        expect([updated.data.name, updated.data.enabledProviders, updated.data.scopes]).toStrictEqual(['Store', ['email'], ['order:read']]);
        expect(
          (await transport.update({ scope, id: app.id, enabledProviders: null }, owner.accessToken)).data.enabledProviders,
        ).toStrictEqual([]);
        const removed = await transport.remove({ scope, id: app.id }, owner.accessToken);
        expect(removed.data.deletedAt).toBeTruthy();
        expect((await transport.list({ scope }, owner.accessToken)).data.totalCount).toBe(0);
        expect((await transport.remove({ scope, id: app.id, hardDelete: true }, owner.accessToken)).code).toBe('NOT_FOUND');
      }
      expect(service.peers.events.at(-1)?.event.type).toBe('projectApp.deleted');
    });

    test('the client id and the client ids of others are never the same', async () => {
      const scope = newScope();
      const made = await Promise.all(
        Array.from({ length: 5 }, () => transport.create({ scope, name: 'x', redirectUris }, owner.accessToken)),
      );
      expect(new Set(made.map(({ data }) => data.clientId)).size).toBe(5);
    });

    const refusals: readonly [what: string, change: object, code: string, field?: string][] = [
      ['no redirect URI', { redirectUris: [] }, 'VALIDATION_ERROR', 'redirectUris'],
      ['http to elsewhere', { redirectUris: ['http://client.example/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a fragment', { redirectUris: ['https://client.example/cb#x'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['an empty fragment', { redirectUris: ['https://client.example/cb#'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a wildcard', { redirectUris: ['https://*.client.example/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['credentials', { redirectUris: ['https://a:b@client.example/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a script', { redirectUris: ['javascript:alert(1)'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['data', { redirectUris: ['data:text/html,x'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a scheme without a dot', { redirectUris: ['myapp:/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a tab that a parser drops', { redirectUris: ['https://client.example/\tcb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      [
        'a backslash that a parser turns',
        { redirectUris: ['https://client.example\\@evil.example/'] },
        'VALIDATION_ERROR',
        'redirectUris.0',
      ],
      ['an invisible letter', { redirectUris: ['https://client.example/c\u200bb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['every address of this machine', { redirectUris: ['http://0.0.0.0/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['a relative address', { redirectUris: ['/cb'] }, 'VALIDATION_ERROR', 'redirectUris.0'],
      ['the second of two', { redirectUris: [...redirectUris, 'ftp://x.example/'] }, 'VALIDATION_ERROR', 'redirectUris.1'],
      ['a malformed scope', { scopes: ['read'] }, 'VALIDATION_ERROR'],
      ['a scope that does not exist', { scopes: ['order:read', 'nothing:here'] }, 'VALIDATION_ERROR', 'scopes.1'],
      ['a built-in scope that the creator lacks', { scopes: ['User:Delete'] }, 'FORBIDDEN'],
      ['an unknown provider', { enabledProviders: ['email', 'nobody'] }, 'VALIDATION_ERROR', 'enabledProviders.1'],
      ['sign-up without a role', { allowSignUp: true }, 'VALIDATION_ERROR', 'signUpRoleId'],
      [
        'a role of elsewhere',
        { allowSignUp: true, signUpRoleId: '01900000-0000-7000-8000-000000000001' },
        'VALIDATION_ERROR',
        'signUpRoleId',
      ],
      ['a role above the creator', { allowSignUp: true, signUpRoleId: '01900000-0000-7000-8000-000000000002' }, 'FORBIDDEN'],
      ['a primary tag that is not a tag', { primaryTagId: '01900000-0000-7000-8000-000000000003' }, 'VALIDATION_ERROR', 'primaryTagId'],
      ['no name', { name: ' ' }, 'VALIDATION_ERROR', 'name'],
      ['an account', { scope: { tenant: 'account', id: newId() } }, 'VALIDATION_ERROR', 'scope.tenant'],
      ['an organization', { scope: { tenant: 'organization', id: newId() } }, 'VALIDATION_ERROR', 'scope.tenant'],
    ];
    for (const [what, change, code, field] of refusals) {
      test(`refused at creation and at change: ${what}`, async () => {
        service.peers.verdicts.set('nothing:here', 'not-found').set('User:Delete', 'escalation');
        service.peers.verdicts.set('01900000-0000-7000-8000-000000000001', 'not-found');
        service.peers.verdicts.set('01900000-0000-7000-8000-000000000002', 'above-own-rank');
        const scope = newScope();
        const refused = await transport.create({ scope, name: 'x', redirectUris, ...change }, owner.accessToken);
        expect([refused, refused.code, field === undefined ? undefined : refused.field]).toStrictEqual([refused, code, field]);
        const { data: app } = await transport.create({ scope, name: 'x', redirectUris }, owner.accessToken);
        const changed = await transport.update({ scope, id: app.id, ...change }, owner.accessToken);
        expect([changed, changed.code]).toStrictEqual([changed, code]);
      });
    }

    test('allowed redirect URIs: https, loopback, private schemes', async () => {
      const allowed = [
        'https://client.example/cb?x=1',
        'http://127.0.0.1:8080/cb',
        'http://[::1]/cb',
        'http://localhost/',
        'com.example.app:/cb',
      ];
      const { data } = await transport.create({ scope: newScope(), name: 'x', redirectUris: allowed }, owner.accessToken);
      expect(data.redirectUris).toStrictEqual(allowed);
    });

    test('without the right, without a token, of another project', async () => {
      const scope = newScope();
      const { data: app } = await transport.create({ scope, name: 'x', redirectUris }, owner.accessToken);
      const elsewhere = newScope();
      expect((await transport.update({ scope: elsewhere, id: app.id, name: 'stolen' }, owner.accessToken)).code).toBe('NOT_FOUND');
      expect((await transport.remove({ scope: elsewhere, id: app.id }, owner.accessToken)).code).toBe('NOT_FOUND');
      expect((await transport.list({ scope: elsewhere }, owner.accessToken)).data.totalCount).toBe(0);
      expect((await transport.list({ scope }, 'no token')).code).toBe('UNAUTHENTICATED');
      const actions = ['Create', 'Query', 'Update', 'Delete'].map((action) => `ProjectApp:${action}`);
      // A person without cached decisions.
      const stranger = await registered(service);
      for (const action of actions) service.peers.denied.add(action);
      try {
        expect((await transport.create({ scope, name: 'x', redirectUris }, stranger.accessToken)).code).toBe('FORBIDDEN');
        expect((await transport.list({ scope }, stranger.accessToken)).code).toBe('FORBIDDEN');
        expect((await transport.update({ scope, id: app.id, name: 'x' }, stranger.accessToken)).code).toBe('FORBIDDEN');
        expect((await transport.remove({ scope, id: app.id }, stranger.accessToken)).code).toBe('FORBIDDEN');
      } finally {
        service.peers.denied.clear();
      }
    });

    test('an unverified person may have apps of their own project, not of an organization', async () => {
      const person = await registered(service, { verified: false });
      const own = await transport.create({ scope: newScope('accountProject'), name: 'x', redirectUris }, person.accessToken);
      expect([own, Boolean(own.data)]).toStrictEqual([own, true]);
      const theirs = await transport.create({ scope: newScope(), name: 'x', redirectUris }, person.accessToken);
      expect(theirs.code).toBe('EMAIL_VERIFICATION_REQUIRED');
    });

    test('lists page, search and sort; deleting a project takes its apps along', async () => {
      const scope = newScope();
      for (const name of ['Beta', 'alpha_1', 'gamma']) await transport.create({ scope, name, redirectUris }, owner.accessToken);
      const names = ({ data }: Outcome) => data.items.map(({ name }: { name: string }) => name);
      expect(names(await transport.list({ scope, search: 'A_' }, owner.accessToken))).toStrictEqual(['alpha_1']);
      expect(names(await transport.list({ scope, sortField: 'createdAt', sortOrder: 'desc' }, owner.accessToken))).toStrictEqual([
        'gamma',
        'alpha_1',
        'Beta',
      ]);
      expect((await transport.list({ scope, sortField: 'clientId' }, owner.accessToken)).code ?? '').toMatch(
        /^(VALIDATION_ERROR|BAD_USER_INPUT)$/,
      );
      await service.deliver('project.deleted', { scope, hard: false });
      expect((await transport.list({ scope }, owner.accessToken)).data.totalCount).toBe(0);
    });
  });
}

test('an app that is being made while its project is deleted goes with it, and none comes later', async () => {
  const scope = { tenant: 'organizationProject', id: newScope().id } as const;
  const [id, clientId] = [newId(), `app_${newId()}`];
  let deleted: Promise<unknown> = Promise.resolve();
  await service.database.transaction(async (tx) => {
    await holdScope(tx, scope.id);
    deleted = service.deliver('project.deleted', { scope, hard: false });
    await sleep(100);
    const fields = { ...untyped, name: 'late', redirectUris, scopes: [], enabledProviders: [], allowSignUp: false, signUpRoleId: null };
    await insertProjectApp(
      tx,
      { ...fields, id, clientId, documentUrl: null, scope, voucher: { type: 'session', userId: owner.userId, tokenId: newId() } },
      new Date(),
    );
  });
  await deleted;
  expect(await findProjectAppByClient(service.database, clientId)).toBeUndefined();
  expect((await rest.create({ scope, name: 'later', redirectUris }, owner.accessToken)).code).toBe('FORBIDDEN');
});

test('two changes at once do not make an app that neither would have been allowed', async () => {
  const scope = newScope();
  const signUpRoleId = newId();
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris, signUpRoleId }, owner.accessToken);
  for (let round = 0; round < 10; round += 1) {
    await rest.update({ scope, id: app.id, allowSignUp: false, signUpRoleId }, owner.accessToken);
    await Promise.all([
      rest.update({ scope, id: app.id, allowSignUp: true }, owner.accessToken),
      rest.update({ scope, id: app.id, signUpRoleId: null }, owner.accessToken),
    ]);
    const [found] = (await rest.list({ scope }, owner.accessToken)).data.items;
    expect(!found.allowSignUp || found.signUpRoleId !== null).toBe(true);
  }
});

test('a change that was judged by what the app is no more does not happen', async () => {
  const scope = newScope();
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris, scopes: ['order:read'] }, owner.accessToken);
  let late: Promise<Outcome> | undefined;
  await service.database.transaction(async (tx) => {
    await tx.execute(sql(`UPDATE project_apps SET scopes = '{Organization:Delete}' WHERE id = $1`), [app.id]);
    late = rest.update({ scope, id: app.id, redirectUris: ['https://thief.example/cb'] }, owner.accessToken);
    // The change has been judged, and waits for the row.
    await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
  });
  expect(await late).toStrictEqual({ code: 'CONFLICT', field: 'updatedAt' });
  expect((await rest.update({ scope, id: app.id, name: 'y' }, owner.accessToken)).code).toBeUndefined();
});

test('a sign-up role cannot be removed while sign-up is allowed', async () => {
  const scope = newScope();
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris, signUpRoleId: newId() }, owner.accessToken);
  let late: Promise<Outcome> | undefined;
  await service.database.transaction(async (tx) => {
    await tx.execute(sql('UPDATE project_apps SET allow_sign_up = true WHERE id = $1'), [app.id]);
    late = rest.update({ scope, id: app.id, signUpRoleId: null }, owner.accessToken);
    await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
  });
  expect(await late).toStrictEqual({ code: 'CONFLICT', field: 'signUpRoleId' });
});

test('allowing sign-up requires the right to grant the sign-up role', async () => {
  const scope = newScope();
  const signUpRoleId = newId();
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris, signUpRoleId }, owner.accessToken);
  service.peers.verdicts.set(signUpRoleId, 'above-own-rank');
  expect((await rest.update({ scope, id: app.id, allowSignUp: true }, owner.accessToken)).code).toBe('FORBIDDEN');
  expect((await rest.update({ scope, id: app.id, name: 'y' }, owner.accessToken)).code).toBeUndefined();
});

test('the records of a creation and a change of an app have its tags before and after', async () => {
  const scope = newScope();
  const tagIds = [newId()];
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris, tagIds }, owner.accessToken);
  await rest.update({ scope, id: app.id, tagIds: [] }, owner.accessToken);
  const changed = `SELECT change->'before' AS before, change->'after' AS after
    FROM audit_log, jsonb_array_elements(changes) AS change WHERE target_id = $1 AND change->>'field' = 'tagIds' ORDER BY at, audit_log.id`;
  expect(await service.database.query({ text: changed }, [app.id])).toStrictEqual([
    { before: null, after: tagIds },
    { before: tagIds, after: [] },
  ]);
});

test('what happens to an app is in the audit log', async () => {
  const scope = newScope();
  const { data: app } = await rest.create({ scope, name: 'x', redirectUris }, owner.accessToken);
  await rest.remove({ scope, id: app.id }, owner.accessToken);
  for (const action of ['project-app.created', 'project-app.deleted']) {
    const row = (await service.auditOf(action)).at(-1);
    expect([row?.outcome, row?.actor_id]).toStrictEqual(['ok', owner.userId]);
  }
});
