import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { type OauthService, startOauth } from '../../../testing/oauth.ts';
import { projectsOf } from '../../../testing/project.ts';

let service: OauthService;
let projects: Awaited<ReturnType<typeof projectsOf>>;
let token: string;
beforeAll(async () => {
  service = await startOauth({ BRAND_NAME: 'Harbour' });
  projects = await projectsOf(service);
  token = projects.owner.accessToken;
});
afterAll(async () => service.stop());

const newOrganization = () => ({ tenant: 'organization', id: newId() });
type Scope = { readonly tenant: string; readonly id: string };
const path = (template = 'invitation', language = 'en') => `/api/mail-texts/${template}/${language}`;
const inQuery = ({ tenant, id }: Scope) => new URLSearchParams({ tenant, scopeId: id });
const put = (scope: Scope, text: object, of = path()) => service.ask('PUT', of, { body: { scope, ...text }, token });
const get = async (scope: Scope, of = path()) => (await service.ask('GET', `${of}?${inQuery(scope)}`, { token })).body.data;
const own = {
  subject: 'Come to {{organizationName}}',
  body: 'Hello from {{organizationName}}.\n\nAsked by {{inviterAddress}}\n\n{{link}}\n\nSee you soon,\nthe crew',
};

async function invited(scope: Scope, data: object = {}, language = 'en') {
  const to = `invited.${newId()}@example.com`;
  const values = { token: 'x', organizationId: scope.id, organizationName: 'Acme "evil.example"', ...data };
  await service.deliver('mail.requested', { messageId: newId(), to, template: 'invitation', language, data: values });
  const [mail] = await service.mails(to);
  return mail;
}

test('without a text of its own an organization sees the standard one, in the form in which it writes its own', async () => {
  const scope = newOrganization();
  expect(await get(scope)).toStrictEqual({
    template: 'invitation',
    language: 'en',
    subject: 'You are invited to "{{organizationName}}"',
    body: 'You have been invited to join "{{organizationName}}" at {{product}}.\n\nInvited by: {{inviterAddress}}\n\n{{link}}',
    variables: ['link', 'product', 'brandName', 'organizationName', 'inviterAddress'],
    requiredVariables: ['link'],
    isDefault: true,
    updatedAt: null,
  });
  for (const template of ['verify-email', 'reset-password', 'magic-link', 'invitation', 'grant-offer'])
    for (const language of ['en', 'de']) {
      const { subject, body } = await get(scope, path(template, language));
      const { status, body: answer } = await put(scope, { subject, body }, path(template, language));
      expect(status).toStrictEqualFor(JSON.stringify(answer), 200);
    }
});

test('its own text is sent in its language, with names that are no links, until it returns to the standard one', async () => {
  const scope = newOrganization();
  expect((await put(scope, own)).body.data).toMatchObject({ ...own, isDefault: false });
  const mail = await invited(scope);
  expect(mail?.subject).toBe("Come to Acme 'evil. example'");
  expect(mail?.text).toContain(
    "Hello from Acme 'evil. example'.\n\nAccept the invitation:\nhttps://app.example.com/invitations/accept?token=x",
  );
  expect(mail?.text).toContain('\n\nSee you soon,\nthe crew\n\nIf you do not know');
  expect(mail?.text).toContain('This mail was sent by Harbour for');
  expect(mail?.text).toContain('I do not want such mail');
  expect(mail?.html).toContain('See you soon,<br />the crew');
  expect(mail?.html).not.toContain('{{');
  expect((await invited(scope, { inviterAddress: 'ada@example.com' }))?.text).toContain('\n\nAsked by ada@example.com\n\n');
  expect((await invited(scope, {}, 'de'))?.subject).toContain('Einladung');
  expect((await invited(newOrganization()))?.subject).toContain('You are invited');

  const reset = await service.ask('DELETE', `${path()}?${inQuery(scope)}`, { token });
  expect(reset.body.data).toMatchObject({ isDefault: true });
  expect((await invited(scope))?.subject).toContain('You are invited');
});

test('a mail of an app has the text of the organization whose project it is', async () => {
  const { scope, clientId } = await projects.makeApp({ allowSignUp: true });
  const text = { subject: 'Into {{appName}}', body: 'Press: {{link}} and you are in.' };
  await put({ tenant: 'organization', id: scope.id.slice(0, 36) }, text, path('magic-link'));
  const email = `new.${newId()}@example.com`;
  await projects.requestLink({ clientId }, email);
  const [mail] = await service.mails(email);
  expect(mail?.subject).toBe('Into Shop');
  expect(mail?.text).toContain(`Press: ${mail?.data.url} and you are in.`);
});

test.each([
  ['subject', { ...own, subject: 'x {{link}}' }],
  ['subject', { ...own, subject: 'x\r\nBcc: all' }],
  ['subject', { ...own, subject: 'Look at evil.example' }],
  ['body', { ...own, body: 'no link' }],
  ['body', { ...own, body: '{{link}}\n\n{{link}}' }],
  ['body', { ...own, body: 'x{{link}}' }],
  ['body', { ...own, body: '{{link}}.evil.example' }],
  ['body', { ...own, body: '{{link}}\n\n{{token}}' }],
  ['body', { ...own, body: '{{link}}\n\n{{#each x}}' }],
  ['body', { ...own, body: '{{link}}\n\n{{ constructor }}' }],
  ['body', { ...own, body: '{{link}}\n\nhttps://evil.example/x' }],
  ['body', { ...own, body: '{{link}}\n\nevil.example' }],
  ['body', { ...own, body: '{{link}}\n\nwww.evil' }],
  ['body', { ...own, body: '{{link}}\n\nhttps:\\\\evil' }],
  ['body', { ...own, body: '{{link}}\n\n//evil/x' }],
  ['body', { ...own, body: '{{link}}\n\nme@evil' }],
  ['body', { ...own, body: '{{link}}\n\n203.0.113.7/x' }],
  ['body', { ...own, body: '{{link}}\n\n{{organizationName}}.com' }],
  ['body', { ...own, body: '{{link}}\n\nevil.{{organizationName}}' }],
  ['body', { ...own, body: 'Confirm at {{brandName}}com/login now. {{link}}' }],
  ['body', { ...own, body: '{{link}}\n\nevil.c{{ brandName }}' }],
  ['body', { ...own, body: '{{link}}\n\n{{brandName}}{{organizationName}}' }],
  ['body', { ...own, body: '{{link}}\n\n203.0{{brandName}}.113.7/login' }],
  ['body', { ...own, body: '{{link}}\n\n{{brandName}}/login' }],
  ['body', { ...own, body: '{{link}}\n\n{{brandName}}:8080' }],
  ['body', { ...own, body: '{{link}}\n\nx-{{brandName}}' }],
  ['subject', { ...own, subject: '{{brandName}}com' }],
  ['subject', { ...own, subject: 'https://evil.example' }],
  ['subject', { ...own, subject: 'Sign in \u202Eereh' }],
  ['subject', { ...own, subject: 'x'.repeat(201) }],
  ['body', { ...own, body: '{{link}}\n\nevil\u200B.\u200Bcom' }],
  ['body', { ...own, body: '{{link}}\n\nevil.\u200Dcom' }],
  ['body', { ...own, body: '{{link}}\n\nevil.\u2060com' }],
  ['body', { ...own, body: '{{link}}\n\n\u202Emoc live\u202C' }],
  ['body', { ...own, body: '{{link}}\n\n\u2067ereh\u2069' }],
  ['body', { ...own, body: '{{link}}\n\n![logo](https://evil.example/x.png)' }],
  ['body', { ...own, body: '{{link}}\n\n<img src="//evil/x">' }],
  ['body', { ...own, body: '{{link}}\n\nReply-To: me@evil.example' }],
  ['body', { ...own, body: `{{link}}${'x'.repeat(16_001)}` }],
] as const)('in the %s nothing but the listed variables is filled in, and nothing but the mail’s link is one: %j', async (field, text) => {
  const scope = newOrganization();
  for (const [method, of] of [
    ['PUT', path()],
    ['POST', `${path()}/preview`],
    ['POST', `${path()}/test`],
  ] as const) {
    const { status, body } = await service.ask(method, of, { body: { scope, ...text }, token });
    expect([status, body.extensions?.field]).toStrictEqualFor(`${of} ${JSON.stringify(body)}`, [400, field]);
  }
});

test('a kept text that makes a link with a name is not sent: the standard one is', async () => {
  const scope = newOrganization();
  await put(scope, own);
  for (const body of ['{{organizationName}}com/login\n\n{{link}}', '{{organizationName}}{{organizationName}}\n\n{{link}}']) {
    await service.database.query(sql('UPDATE mail_texts SET body = $2 WHERE organization_id = $1'), [scope.id, body]);
    const mail = await invited(scope, { organizationName: 'evil.' });
    expect(mail?.subject).toBe('You are invited to "evil."');
    expect(`${mail?.text} ${mail?.html}`).not.toContain('evil.com');
  }
  await put(scope, { ...own, body: 'From {{organizationName}}.\nAsked by {{inviterAddress}}: "{{organizationName}}", yours.\n\n{{link}}' });
  const mail = await invited(scope, { organizationName: 'evil.', inviterAddress: 'ada@example.com' });
  expect(mail?.text).toContain('From evil..\nAsked by ada@example.com: "evil.", yours.');
});

test('dates, prices and times are no links', async () => {
  const body = 'At 10:30, 1.5.2027? No: on 24 Dec., e.g. for 3.50 Euro. Well... 50 %!\n\n{{link}}';
  const { status, body: answer } = await put(newOrganization(), { ...own, body: body.replace('1.5.2027', 'May 1') });
  expect(status).toStrictEqualFor(JSON.stringify(answer), 200);
});

test('markup is text', async () => {
  const scope = newOrganization();
  const body = '<img src=x onerror="alert(1)"> <b>bold</b>\n\n{{link}}\n\n<style>p { display: none }</style>';
  const preview = await service.ask('POST', `${path()}/preview`, { body: { scope, ...own, body }, token });
  expect(preview.body.data.html).toContain('&#60;img src=x');
  expect(preview.body.data.html).not.toMatch(/<img|<b>|<style>p/);
  expect((await get(scope)).isDefault).toBe(true);
});

test('no warning and no code can be written, nor a language that there is not', async () => {
  for (const address of [
    path('password-changed'),
    path('address-code'),
    path('mail-text-test'),
    path('invitation', 'xx'),
    path('toString'),
  ])
    expect((await put(newOrganization(), own, address)).status).toStrictEqualFor(address, 400);
});

test('a test goes to the caller’s own address, and leads to the console; the sixth in ten minutes is refused', async () => {
  const scope = newOrganization();
  const send = () => service.ask('POST', `${path()}/test`, { body: { scope, ...own }, token });
  const statuses = (await Promise.all(Array.from({ length: 8 }, send))).map(({ status }) => status);
  expect(statuses.toSorted()).toStrictEqual([202, 202, 202, 202, 202, 429, 429, 429]);
  const tests = (await service.mails(projects.owner.email, 6)).filter(({ template }) => template === 'mail-text-test');
  expect(tests[0]?.subject).toBe('Come to Acme');
  expect(tests[0]?.text).toContain('Open the console:\nhttps://app.example.com/console\n');
});

test('GraphQL gives and takes the same; the end of the organization ends its texts', async () => {
  const scope = newOrganization();
  const update = `mutation ($input: UpdateMailTextInput!) { updateMailText(input: $input) { subject isDefault } }`;
  const written = await service.graphql(update, { input: { scope, template: 'invitation', language: 'en', ...own } }, { token });
  expect(written.body.data.updateMailText).toStrictEqual({ subject: own.subject, isDefault: false });
  const read = `query ($input: MailTextInput!) { mailText(input: $input) { isDefault variables } }`;
  expect(
    (await service.graphql(read, { input: { scope, template: 'invitation', language: 'en' } }, { token })).body.data.mailText.isDefault,
  ).toBe(false);
  service.peers.denied.add('Branding:Update');
  // Another one: a decision is kept for a second.
  expect((await put(newOrganization(), own)).status).toBe(403);
  service.peers.denied.clear();
  await service.deliver('organization.deleted', { organizationId: scope.id, projectIds: [], hard: true });
  expect(await service.database.query(sql('SELECT FROM mail_texts WHERE organization_id = $1'), [scope.id])).toHaveLength(0);
  expect((await put(scope, own)).status).toBe(403);
});
