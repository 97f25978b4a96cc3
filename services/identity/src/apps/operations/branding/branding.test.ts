import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import sharp from 'sharp';
import { until } from '../../../../../../test/support/until.ts';
import { type OauthService, startOauth } from '../../../testing/oauth.ts';
import { pictureFile, png } from '../../../testing/pictures.ts';
import { projectsOf } from '../../../testing/project.ts';

let service: OauthService;
let projects: Awaited<ReturnType<typeof projectsOf>>;
let token: string;
beforeAll(async () => {
  service = await startOauth({ BRAND_NAME: 'Harbour', BRAND_COLOR: '#3b5bdb' });
  projects = await projectsOf(service);
  token = projects.owner.accessToken;
});
afterAll(async () => service.stop());

const filesOf = ({ outboxFolder }: OauthService) =>
  readdirSync(dirname(outboxFolder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.webp'));

type Scope = { readonly tenant: string; readonly id: string };
const inQuery = ({ tenant, id }: Scope, appId?: string) =>
  new URLSearchParams({ tenant, scopeId: id, ...(appId === undefined ? {} : { appId }) });
const put = (scope: Scope, fields: object, options: object = { token }) =>
  service.ask('PUT', '/api/branding', { body: { scope, ...fields }, ...options });
const get = (scope: Scope, appId?: string) => service.ask('GET', `/api/branding?${inQuery(scope, appId)}`, { token });
const shownFor = async (query: Record<string, string>) =>
  (await service.ask('GET', `/api/branding/public?${new URLSearchParams(query)}`)).body.data;
const organizationOf = ({ id }: Scope): Scope => ({ tenant: 'organization', id: id.slice(0, 36) });
const platform = {
  name: 'Harbour',
  logoUrl: null,
  colors: { primary: '#3b5bdb', background: null },
  termsUrl: null,
  privacyUrl: null,
  supportEmail: null,
  productName: 'Harbour',
};

describe('branding', () => {
  test('each field comes from the app, else its project, else its organization, else the installation; null takes it back', async () => {
    const app = await projects.makeApp();
    const { scope, id: appId, clientId } = app;
    expect(await shownFor({ client_id: clientId })).toStrictEqual(platform);

    await put(organizationOf(scope), { name: 'Acme', termsUrl: 'https://acme.example/terms', supportEmail: 'Help@Acme.example' });
    await put(scope, { name: 'Acme Shop', colors: { primary: '#7A1F5C' } });
    const set = await put(scope, { appId, name: 'Acme Shop for dealers' });
    expect(set.status).toStrictEqualFor(set.body, 200);
    expect(await shownFor({ client_id: clientId })).toStrictEqual({
      ...platform,
      name: 'Acme Shop for dealers',
      colors: { primary: '#7a1f5c', background: null },
      termsUrl: 'https://acme.example/terms',
      supportEmail: 'help@acme.example',
    });
    expect(set.body.data).toMatchObject({
      name: 'Acme Shop for dealers',
      termsUrl: null,
      shown: { termsUrl: 'https://acme.example/terms' },
      inherited: { name: 'Acme Shop' },
    });

    const back = await put(scope, { appId, name: null });
    expect(back.body.data).toMatchObject({ name: null, updatedAt: null, shown: { name: 'Acme Shop' } });
    await put(scope, { colors: null, name: null });
    expect(await shownFor({ client_id: clientId })).toMatchObject({ name: 'Acme', colors: platform.colors });
    expect(await shownFor({ organization: organizationOf(scope).id })).toMatchObject({ name: 'Acme' });
    expect((await get(scope, appId)).body.data).toMatchObject({ name: null, shown: { name: 'Acme' } });
    const rows = await service.database.query(sql('SELECT FROM brandings WHERE scope_id = $1'), [scope.id]);
    expect(rows).toHaveLength(0);
  });

  test('what is unknown shows the installation, whatever is asked for', async () => {
    const account = await projects.makeApp({}, 'accountProject');
    await put(account.scope, { name: 'Mine' });
    expect(await shownFor({ client_id: account.clientId })).toMatchObject({ name: 'Mine' });
    for (const query of [
      {},
      { client_id: 'none' },
      { organization: newId() },
      { organization: 'acme' },
      { organization: account.scope.id },
    ])
      if ('organization' in query && query.organization === account.scope.id) expect(await shownFor(query)).toMatchObject({ name: 'Mine' });
      else expect(await shownFor(query)).toStrictEqualFor(query, platform);
  });

  test('GraphQL gives and takes the same', async () => {
    const { scope } = await projects.makeApp();
    const document = `mutation ($input: UpdateBrandingInput!) { updateBranding(input: $input) { name colors { primary } shown { name productName } } }`;
    const { body } = await service.graphql(document, { input: { scope, name: 'Acme', colors: { primary: '#7a1f5c' } } }, { token });
    expect(body.data.updateBranding).toStrictEqual({
      name: 'Acme',
      colors: { primary: '#7a1f5c' },
      shown: { name: 'Acme', productName: 'Harbour' },
    });
    const read = await service.graphql(
      'query ($input: BrandingInput!) { branding(input: $input) { name } }',
      { input: { scope } },
      { token },
    );
    expect(read.body.data.branding).toStrictEqual({ name: 'Acme' });
  });

  test('the logo is decoded and written anew; the one before is deleted', async () => {
    const { scope, clientId } = await projects.makeApp();
    const logo = pictureFile(await png());
    const first = (await put(scope, { logo })).body.data.logoUrl;
    expect(first).toMatch(/^http:\/\/tessera\.test\/pictures\/[0-9a-f-]{36}\/[0-9a-f]{32}\.webp$/);
    const picture = await service.ask('GET', new URL(first).pathname);
    expect([picture.status, picture.headers['content-type']]).toStrictEqual([200, 'image/webp']);
    const second = (await put(scope, { logo })).body.data.logoUrl;
    expect(second).not.toBe(first);
    expect(await shownFor({ client_id: clientId })).toMatchObject({ logoUrl: second });
    const discarded = await service.database.query(sql('SELECT path FROM discarded_pictures'));
    expect(discarded).toStrictEqual([{ path: new URL(first).pathname }]);
    const html = { ...logo, file: Buffer.from('<svg onload="alert(1)"/>').toString('base64') };
    const refused = await put(scope, { logo: html });
    expect([refused.status, refused.body.extensions.field]).toStrictEqual([400, 'file']);
  });

  test.each([
    ['colors', { colors: { primary: '#777777', background: '#888888' } }],
    ['colors', { colors: { primary: '#ffd43b' } }],
    ['colors', { colors: { background: '#3b5bdb' } }],
    ['colors', { colors: { primary: 'red' } }],
    ['colors', { colors: { primary: '#7a1f5c', background: 'url(https://evil.example/x.png)' } }],
    ['termsUrl', { termsUrl: 'http://acme.example' }],
    ['termsUrl', { termsUrl: 'javascript:alert(1)' }],
    ['termsUrl', { termsUrl: 'https://acme.example@evil.example/' }],
    ['privacyUrl', { privacyUrl: 'https://localhost/x' }],
    ['privacyUrl', { privacyUrl: 'https:\\\\evil.example' }],
    ['privacyUrl', { privacyUrl: 'https://acme.example/"><script>alert(1)</script> x' }],
    ['supportEmail', { supportEmail: 'nobody' }],
    ['name', { name: 'x'.repeat(61) }],
    ['name', { name: 'Acme\r\nBcc: all' }],
    ['name', { name: 'Acme \u202Eknab' }],
    ['name', { name: 'Ac\u200Bme' }],
    ['name', { name: 'Acme\u2060' }],
    ['termsUrl', { termsUrl: 'data:text/html,x' }],
    ['colors', { colors: { primary: '#ffffff', background: '#ffffff' } }],
    ['css', { css: 'body { display: none }' }],
  ] as const)('a %s that nobody can read, or that is no plain value, is refused: %j', async (field, fields) => {
    const { scope } = await projects.makeApp();
    const { status, body } = await put(scope, fields);
    expect([status, String(body.extensions?.field).split('.')[0]]).toStrictEqualFor(body, [400, field]);
    expect((await get(scope)).body.data).toMatchObject({ updatedAt: null });
  });

  test('a logo that comes with colours which are refused is not kept', async () => {
    const { scope } = await projects.makeApp();
    await put(scope, { colors: { background: '#101010', primary: '#f0f0f0' }, logo: pictureFile(await png()) });
    const before = filesOf(service);
    expect(before.length).toBeGreaterThan(0);
    // Not readable on the background that is kept.
    const { status } = await put(scope, { colors: { primary: '#202020' }, logo: pictureFile(await png()) });
    expect([status, filesOf(service)]).toStrictEqual([400, before]);
  });

  test('the refusal of colours says what to do', async () => {
    const { scope } = await projects.makeApp();
    const { body } = await put(scope, { colors: { primary: '#777777' } }, { token, headers: { 'accept-language': 'de' } });
    expect(body.error).toBe(
      'Diese Farben lassen sich nicht lesen: Ihr Kontrast liegt unter 4,5. Machen Sie eine von ihnen dunkler oder heller.',
    );
  });

  test('an app of another project is no place, nor is an organization one of its apps', async () => {
    const [mine, other] = [await projects.makeApp(), await projects.makeApp()];
    for (const scope of [mine.scope, organizationOf(other.scope)]) {
      const { status } = await put(scope, { appId: other.id, name: 'Taken' });
      expect([400, 404]).toContain(status);
      expect([400, 404]).toContain((await get(scope, other.id)).status);
    }
    expect(await shownFor({ client_id: other.clientId })).toStrictEqual(platform);
  });

  test('without the right nothing is read or set', async () => {
    const { scope } = await projects.makeApp();
    service.peers.denied.add('Branding:Update').add('Branding:Query');
    try {
      expect([(await put(scope, { name: 'Taken' })).status, (await get(scope)).status]).toStrictEqual([403, 403]);
    } finally {
      service.peers.denied.clear();
    }
  });

  test('twenty changes at once leave one row, one logo and no file behind', async () => {
    const { scope } = await projects.makeApp();
    const logo = pictureFile(await png());
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(scope, index % 2 === 0 ? { logo } : { name: `Acme ${index}` })));
    const [row] = await service.database.query<{ logo_path: string }>(sql('SELECT logo_path FROM brandings WHERE place = $1'), [scope.id]);
    const discarded = await service.database.query<{ path: string }>(sql('SELECT path FROM discarded_pictures'));
    expect(discarded.map(({ path }) => path)).not.toContain(row?.logo_path);
  });

  test('of ten logos for the same version one is kept, and the files of the others are gone', async () => {
    const { scope } = await projects.makeApp();
    const logo = pictureFile(await png());
    const before = filesOf(service).length;
    const options = { token, headers: { 'if-match': '"null"' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(scope, { logo }, options)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, ...Array<number>(9).fill(412)]);
    expect(filesOf(service).length - before).toBe(1);
  });

  test('it ends with its app, project or organization, and the logo with it', async () => {
    const app = await projects.makeApp();
    const logo = pictureFile(await png());
    await put(app.scope, { name: 'Shop', logo });
    await put(app.scope, { appId: app.id, name: 'App' });
    await put(organizationOf(app.scope), { name: 'Acme' });
    await service.ask('DELETE', `/api/project-apps/${app.id}?${inQuery(app.scope)}`, { token });
    const places = async () =>
      (
        await service.database.query<{ place: string }>(sql('SELECT place FROM brandings WHERE scope_id LIKE $1'), [
          `${app.scope.id.slice(0, 36)}%`,
        ])
      )
        .map(({ place }) => place)
        .toSorted();
    expect(await places()).toStrictEqual([app.scope.id, app.scope.id.slice(0, 36)].toSorted());
    const [organizationId, projectId] = app.scope.id.split(':');
    await service.deliver('organization.deleted', { organizationId, projectIds: [projectId], hard: true });
    expect(await places()).toStrictEqual([]);
    expect((await put(app.scope, { name: 'Late' })).status).toBe(403);
  });
});

describe('mails', () => {
  test('a mail on the way to an app shows the app, with the logo in the mail itself; it says who sent it', async () => {
    const { scope, clientId } = await projects.makeApp({ allowSignUp: true });
    const logo = pictureFile(await png());
    await put(scope, { name: 'Acme "Shop" evil.example', colors: { primary: '#7a1f5c' }, logo });
    const email = `new.${newId()}@example.com`;
    await projects.requestLink({ clientId }, email);
    const [mail] = await service.mails(email);
    expect(mail?.html).toContain('background:#7a1f5c;color:#ffffff');
    expect(mail?.html).toContain('src="cid:logo@mail"');
    expect(mail?.html).not.toMatch(/<img[^>]*src="(?!cid:)/);
    expect(mail?.text).toContain(`This mail was sent by Harbour for "Acme 'Shop' evil. example".`);
    const picture = await sharp(Buffer.from(mail?.logo?.content ?? '', 'base64')).metadata();
    expect([picture.format, picture.width, picture.height]).toStrictEqual(['png', 120, 80]);
  });

  test('an invitation shows the organization; a warning about the account shows the installation', async () => {
    const { scope } = await projects.makeApp();
    const organization = organizationOf(scope);
    await put(organization, { name: 'Acme', colors: { primary: '#7a1f5c' } });
    const [email, data] = [`invited.${newId()}@example.com`, { token: 'x', organizationId: organization.id, organizationName: 'Acme Ltd' }];
    const mail = { to: email, language: 'en', data };
    await service.deliver('mail.requested', { ...mail, messageId: newId(), template: 'invitation' });
    await service.deliver('mail.requested', { ...mail, messageId: newId(), template: 'password-changed' });
    const mails = await service.mails(email, 2);
    await until(() => mails.length === 2);
    const html = (template: string) => mails.find((one) => one.template === template)?.html;
    expect(html('invitation')).toContain('sent by Harbour for &#34;Acme&#34;');
    expect(html('password-changed')).toContain('#3b5bdb');
    expect(html('password-changed')).toContain('sent by Harbour.');
  });
});
