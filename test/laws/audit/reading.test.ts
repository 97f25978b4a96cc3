/** The log of a scope over all services: whole, in order, and of this tenant only. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient, inScope, type ScopeValue } from '../../support/client.ts';
import { openAuditReader } from '../../support/records.ts';
import { openStack } from '../../support/shared-stack.ts';
import { addMember, createPerson, createWorld, dataOf, type Person, signToken } from '../../support/world.ts';

const stack = await openStack();
const log = await openAuditReader(stack);
afterAll(() => log.close());
const [mine, theirs] = await Promise.all([createWorld(stack), createWorld(stack)]);
const stranger = await createPerson(stack, { name: 'Secret Stranger' });
const { owner, organization, project } = mine;
const roles = ['Admin', 'Dev', 'Viewer'] as const;
const [admin, dev, viewer] = await Promise.all(roles.map((role) => addMember(stack, owner, organization, role)));
if (!admin || !dev || !viewer) throw new Error('three members were made');

type Item = {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly scope: ScopeValue | null;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly changes: readonly { readonly field: string }[];
};
type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };

async function page(scope: ScopeValue, more = '', { client, token }: Person = owner): Promise<Page> {
  return dataOf(await client.get(`/api/audit-events?${inScope(scope, more)}`, token));
}

async function whole(scope: ScopeValue, more = 'limit=7'): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let next = await page(scope, more); ; next = await page(scope, `${more}&cursor=${encodeURIComponent(next.nextCursor)}`)) {
    items.push(...next.items);
    if (next.nextCursor === null) return items;
  }
}

/** What the database has of a tenant, in all services. */
async function written(tenantId: string): Promise<readonly string[]> {
  const services = ['identity', 'tenancy', 'rbac', 'keys'];
  const each = services.map((service) => `SELECT id, at FROM ${service}.audit_log WHERE scope_id LIKE '${tenantId}%'`);
  const { rows } = await log.client.query<{ id: string }>(`${each.join(' UNION ALL ')} ORDER BY at DESC, id DESC`);
  return rows.map(({ id }) => id);
}

describe('a page of the log', () => {
  test('follows a cursor over the four services: every record once, in the order of time', async () => {
    const items = await whole(organization);
    expect(items.map(({ id }) => id)).toStrictEqual(await written(organization.id));
    for (const action of ['role.created', 'project.created', 'user.created', 'apiKey.created'])
      expect(items.some((item) => item.action === action)).toStrictEqualFor(action, true);
  });

  test('shows who, what and the names of people and things', async () => {
    const [role] = (await page(organization, 'action=role.created')).items;
    expect(role).toMatchObject({
      outcome: 'ok',
      reason: null,
      scope: organization,
      target: { type: 'Role', id: mine.ids.Role, name: 'Original' },
      actor: { type: 'user', id: owner.userId, name: 'Test Person' },
    });
    expect(role?.changes).toContainEqual({ field: 'name', before: null, after: 'Original' });
  });

  test('of an organization has its projects, unless they are left out; of a project only itself', async () => {
    const all = await whole(organization, 'limit=100');
    expect(all.some(({ scope }) => scope?.id === project.id)).toBe(true);
    const alone = await whole(organization, 'limit=100&includeProjects=false');
    expect(new Set(alone.map(({ scope }) => scope?.id))).toStrictEqual(new Set([organization.id]));
    const inside = await whole(project, 'limit=100');
    expect(new Set(inside.map(({ scope }) => scope?.id))).toStrictEqual(new Set([project.id]));
    expect(alone.length + inside.length).toBe(all.length);
  });

  test('filters by actor, action, outcome, target and time', async () => {
    await viewer.client.post('/api/tags', { scope: organization, name: 'No', color: 'red' }, viewer.token);
    const refused = await page(organization, 'outcome=refused');
    expect(refused.items[0]).toMatchObject({
      action: 'tag.created',
      outcome: 'refused',
      reason: 'FORBIDDEN',
      actor: { id: viewer.userId },
    });
    expect((await page(organization, `actorId=${viewer.userId}&outcome=refused`)).items).toHaveLength(1);
    expect((await page(organization, `actorId=${randomUUID()}`)).items).toStrictEqual([]);
    expect((await page(organization, `targetType=Role&targetId=${mine.ids.Role}`)).items.map(({ action }) => action)).toStrictEqual([
      'role.created',
    ]);
    const [first] = (await whole(organization)).slice(-1);
    const at = encodeURIComponent(first?.at ?? '');
    expect((await page(organization, `to=${at}`)).items).toStrictEqual([]);
    expect((await page(organization, `from=${at}&limit=1`)).items).toHaveLength(1);
  });

  test('refuses what is no cursor, time or limit', async () => {
    const id = randomUUID();
    const cursors = ['2026-02-30T00:00:00', '0000-01-01T00:00:00', '2026-01-01T24:00:00'].map(
      (at) => `cursor=${Buffer.from(JSON.stringify([`${at}+00:00`, id])).toString('base64url')}`,
    );
    const times = ['from=yesterday', 'from=1', 'to=%2B010000-01-01', 'to=0000-01-01', 'from=-000001-01-01T00:00:00Z', 'to=2026-13-01'];
    for (const wrong of ['cursor=abc', 'cursor=WyIyMDI2Il0', ...cursors, ...times, 'limit=0', 'limit=101', 'outcome=good', 'actorId=1'])
      expect((await owner.client.get(`/api/audit-events?${inScope(organization, wrong)}`, owner.token)).status).toStrictEqualFor(
        wrong,
        400,
      );
  });

  test('says the same in GraphQL', async () => {
    const asked = `query($input: AuditEventsInput!) { auditEvents(input: $input) { nextCursor auditEvents { id action actor { type name } scope { id } changes { field before after } } } }`;
    const { body } = await owner.client.graphql(asked, { input: { scope: organization, limit: 5 } }, owner.token);
    expect(body.errors).toBeUndefined();
    const rest = await page(organization, 'limit=5');
    expect(body.data.auditEvents.auditEvents.map(({ id }: Item) => id)).toStrictEqual(rest.items.map(({ id }) => id));
    expect(body.data.auditEvents.nextCursor).toBe(rest.nextCursor);
  });
});

describe('the log is for Owners and Admins of the scope', () => {
  test('Devs, Viewers, other tenants’ Owners, keys and apps without the right get 403', async () => {
    expect((await page(organization, '', admin)).items.length).toBeGreaterThan(0);
    for (const person of [dev, viewer, stranger, theirs.owner]) {
      for (const path of ['/api/audit-events', '/api/audit-events/export'])
        for (const scope of [organization, project])
          expect((await person.client.get(`${path}?${inScope(scope)}`, person.token)).status).toStrictEqualFor(path, 403);
    }
    const scopeless = await signToken(stack, { type: 'projectApp', subject: owner.userId, project, scopes: [] });
    expect((await owner.client.get(`/api/audit-events?${inScope(project)}`, scopeless)).status).toBe(403);
    expect((await owner.client.get(`/api/audit-events?${inScope(organization)}`)).status).toBe(401);
  });

  test('a key that may read a project’s log reads that project’s, and nothing of the organization or another project', async () => {
    const { client, token } = owner;
    const make = async (path: string, body: object) => dataOf(await client.post(path, { scope: project, ...body }, token));
    const { items } = dataOf(await client.get(`/api/resources?${inScope(project, 'limit=100&search=Audit')}`, token));
    const { id: resourceId } = items.find(({ slug }: { slug: string }) => slug === 'AuditEvent');
    const permission = await make('/api/permissions', { name: 'read the log', resourceId, action: 'Query' });
    const group = await make('/api/groups', { name: 'auditors', permissionIds: [permission.id] });
    const role = await make('/api/roles', { name: 'Auditor', groupIds: [group.id] });
    const key = await make('/api/api-keys', { name: 'Auditor', roleId: role.id });
    const { accessToken } = dataOf(
      await client.post('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret, scope: project }),
    );
    const other = dataOf(await client.post('/api/projects', { scope: organization, name: 'Other' }, token));
    const sibling = { tenant: project.tenant, id: `${organization.id}:${other.id}` };
    // The right to read is not the right to take all of it along.
    expect((await client.get(`/api/audit-events/export?${inScope(project)}`, accessToken)).status).toBe(403);
    const read = (scope: ScopeValue, more = '') => client.get(`/api/audit-events?${inScope(scope, more)}`, accessToken);
    for (const scope of [organization, sibling, theirs.organization, theirs.project, owner.account])
      expect((await read(scope)).status).toStrictEqualFor(scope, 403);
    // Places in the organization’s log open nothing of it.
    const { nextCursor } = await page(organization, 'limit=1');
    for (const more of ['limit=100', 'includeProjects=true', `cursor=${encodeURIComponent(nextCursor ?? '')}`, `actorId=${owner.userId}`]) {
      const seen: Page = dataOf(await read(project, more));
      expect(new Set(seen.items.map(({ scope }) => scope?.id))).toStrictEqualFor(more, new Set([project.id]));
    }
    expect((await client.get('/api/me/audit-events', accessToken)).status).toBe(403);
  });

  test('never has a record of another tenant, whatever is asked for', async () => {
    const foreign = new Set(await written(theirs.organization.id));
    expect(foreign.size).toBeGreaterThan(5);
    const { items } = await page(theirs.organization, 'limit=1', theirs.owner);
    const cursor = Buffer.from(JSON.stringify([items[0]?.at.replace('Z', '000+00:00'), items[0]?.id])).toString('base64url');
    for (const more of [`actorId=${theirs.owner.userId}`, `targetId=${theirs.ids.Role}`, 'limit=100', `cursor=${cursor}&limit=100`])
      for (const scope of [organization, project, owner.account])
        for (const item of (await page(scope, more)).items) expect(foreign.has(item.id)).toBe(false);
    const mixed = { tenant: 'organizationProject', id: `${organization.id}:${theirs.project.id.split(':')[1]}` };
    expect((await owner.client.get(`/api/audit-events?${inScope(mixed)}`, owner.token)).status).toBe(403);
  });

  test('does not tell the name of a stranger who was refused', async () => {
    await stranger.client.post('/api/tags', { scope: organization, name: 'No', color: 'red' }, stranger.token);
    const [refused] = (await page(organization, `actorId=${stranger.userId}`)).items;
    expect(refused).toMatchObject({ outcome: 'refused', actor: { id: stranger.userId, name: null } });
  });
});

describe('one’s own log', () => {
  test('has one’s own acts everywhere and refused sign-ins to one’s account, and nothing else', async () => {
    const wrong = { provider: 'email', providerId: viewer.email, providerData: { password: 'Wrong-Horse-42' } };
    await createClient(stack.url, 'somebody else').post('/api/auth/login', wrong);
    const { items }: Page = dataOf(await viewer.client.get('/api/me/audit-events?limit=100', viewer.token));
    expect(items[0]).toMatchObject({ action: 'session.login', outcome: 'refused', target: { id: viewer.userId } });
    expect(items.some(({ action }) => action === 'user.registered')).toBe(true);
    for (const { actor, target, outcome } of items)
      expect(actor.id === viewer.userId || (actor.id === null && outcome === 'refused' && target.id === viewer.userId)).toBe(true);
  });
});

test('what an app did last for a person comes from all services, and only from where it acts', async () => {
  const { client, token, userId } = await createPerson(stack);
  const fields = { scope: project, name: 'Agent', type: 'web', redirectUris: ['https://agent.example.com/'] };
  const app = dataOf(await owner.client.post('/api/project-apps', fields, owner.token));
  const acting = `INSERT INTO identity.acting_apps (user_id, project_app_id, place_id, root_id, first_used_at, last_used_at, is_by_exchange)
    VALUES ($1, $2, $3, $4, now(), now(), true)`;
  await log.client.query(acting, [userId, app.id, project.id, organization.id]);
  const columns = 'operation, action, outcome, actor_id, actor_type, app_id, scope_tenant, scope_id, at';
  const act = (service: string, action: string, scope: ScopeValue, appId: string, secondsAgo: number) =>
    log.client.query(
      `INSERT INTO ${service}.audit_log (${columns}) VALUES ('x', $1, 'ok', $2, 'projectApp', $3, $4, $5, now() - make_interval(secs => $6))`,
      [action, userId, appId, scope.tenant, scope.id, secondsAgo],
    );
  await act('rbac', 'role.updated', project, app.clientId, 3);
  await act('keys', 'apiKey.updated', project, app.clientId, 2);
  await act('tenancy', 'project.updated', project, app.clientId, 1);
  await act('rbac', 'role.deleted', theirs.project, app.clientId, 0);
  await act('rbac', 'role.created', project, 'app_of_somebody_else', 0);
  const actionsOf = (items: readonly { lastActions: readonly { action: string }[] }[]) =>
    items.map(({ lastActions }) => lastActions.map(({ action }) => action));
  const expected = [['project.updated', 'apiKey.updated', 'role.updated']];
  expect(actionsOf(dataOf(await client.get('/api/me/agents', token)).items)).toStrictEqual(expected);
  const path = `/api/agents?${inScope(organization, `userId=${userId}`)}`;
  expect(actionsOf(dataOf(await owner.client.get(path, owner.token)).items)).toStrictEqual(expected);
});

describe('the export', () => {
  const read = (more: string) => owner.client.get(`/api/audit-events/export?${inScope(organization, more)}`, owner.token);

  test('as NDJSON has every record that the pages have', async () => {
    const { status, headers, body } = await read('format=ndjson&includeProjects=false');
    expect([status, headers['content-type'], headers['content-disposition']]).toStrictEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'attachment; filename="audit-events.ndjson"',
    ]);
    const lines = String(body)
      .trim()
      .split('\n')
      .map((line): Item => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toStrictEqual((await whole(organization, 'limit=100&includeProjects=false')).map(({ id }) => id));
  });

  test('as CSV has a line for each, and nothing that a spreadsheet would run', async () => {
    const formula = '=HYPERLINK("https://evil.example")';
    dataOf(await owner.client.post('/api/tags', { scope: organization, name: formula, color: 'red' }, owner.token));
    const { body } = await read('action=tag.created&outcome=ok');
    const [head, ...lines] = String(body).trim().split('\r\n');
    expect(head?.startsWith('id,at,action,outcome,')).toBe(true);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  });

  test('refuses another format', async () => {
    expect((await read('format=xml')).status).toBe(400);
    expect((await read('limit=5')).status).toBe(400);
  });
});
