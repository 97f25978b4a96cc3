/** The packed tessera command as a service account: by its secret, and by a job's ID tokens. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { githubClaims, gitlabClaims, startOuterIssuer } from '../../../services/identity/src/testing/outer-issuer.ts';
import { openWorkplace, type Said, type Workplace } from '../../support/packages/workplace.ts';
import { createServiceAccount, dataOf } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
const outer = await startOuterIssuer();
cleanup.defer(outer.close);
let place: Workplace;
let world: { readonly owner: Workplace['owner']; readonly organization: { readonly tenant: string; readonly id: string } };

beforeAll(async () => {
  place = await openWorkplace(cleanup);
  world = { owner: place.owner, organization: place.world.birch };
}, 240_000);
afterAll(() => cleanup.disposeAsync());

const ticket = 'ticket-of-the-job';
/** Nothing that the command says or keeps readable for others has a token in it. */
const tokenLike = /eyJ|tas_|ticket-of/;

function expectRefused({ code, out, err }: Said, wanted: number, ...texts: readonly string[]): void {
  expect([code, out]).toStrictEqualFor(err, [wanted, '']);
  for (const text of texts) expect(err).toContain(text);
  expect(err).not.toMatch(tokenLike);
}

async function trusting(claims: Readonly<Record<string, string>>) {
  const { id } = await createServiceAccount(place.stack.url, world, 'Admin');
  const credential = { scope: world.organization, type: 'trust', issuer: outer.url, audience: place.stack.url, claims };
  dataOf(await world.owner.client.post(`/api/service-accounts/${id}/credentials`, credential, world.owner.token));
  return id;
}

const jobFiles = (home: string) => readdirSync(join(home, 'tessera')).filter((name) => name.startsWith('job-'));

type Asked = { readonly url: URL; readonly authorization: string | undefined };
/** As GitHub's, which a job is told of by ACTIONS_ID_TOKEN_REQUEST_URL. */
async function startGitHub(answer: (asked: Asked, response: ServerResponse) => unknown) {
  const asked: Asked[] = [];
  const server = createServer(({ url, headers }: IncomingMessage, response) => {
    asked.push({ url: new URL(url ?? '', 'http://github'), authorization: headers.authorization });
    void answer(asked.at(-1) as Asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token?api-version=2.0`;
  return { asked, env: { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: ticket } };
}

test('by its secret it does what its role allows, and hears what is for people', async () => {
  const { id, clientSecret } = await createServiceAccount(place.stack.url, world, 'Admin');
  const env = { TESSERA_CLIENT_ID: id, TESSERA_CLIENT_SECRET: clientSecret, TESSERA_TOKEN: '', TESSERA_SCOPE: place.world.project };
  const terminal = place.openTerminal(env);
  const who = await terminal.run('whoami');
  expect([who.code, who.out]).toStrictEqualFor(who.err, [0, expect.stringMatching(/^Service account \S+ at \S+, with \d+ permissions\n$/)]);
  expect((await terminal.run('decisions', 'check', 'Role', 'Query')).code).toBe(0);
  expect((await terminal.run('decisions', 'check', 'Rocket', 'Launch')).code).toBe(4);
  for (const [command, text] of [
    ['roles', 'Viewer'],
    ['projects', 'Shop'],
    ['members', place.owner.email],
  ] as const) {
    const said = await terminal.run(command, '--scope', place.world.organization);
    expect([command, said.code, said.out]).toStrictEqualFor(said.err, [command, 0, expect.stringContaining(text)]);
  }
  writeFileSync(join(place.folder, 'by-machine.yaml'), 'version: 1\ntags:\n  - { name: by a machine, color: red }\n');
  const applied = await terminal.run('apply', '-f', 'by-machine.yaml', '--yes');
  expect(applied.code).toStrictEqualFor(applied.err, 0);
  expect((await terminal.run('export')).out).toContain('by a machine');
  expectRefused(await terminal.run('orgs'), 1, 'A service account is in no organization as a person is.');
  expect(readdirSync(terminal.home)).toStrictEqual([]);

  expectRefused(
    await place.openTerminal({ ...env, TESSERA_CLIENT_SECRET: `${clientSecret}x` }).run('roles'),
    3,
    `gives service account ${id} no token`,
    'Check TESSERA_CLIENT_ID, and TESSERA_CLIENT_SECRET',
  );
  expectRefused(await place.openTerminal({ ...env, TESSERA_URL: 'http://127.0.0.1:9' }).run('roles'), 1, 'can not be reached');
  expectRefused(await place.openTerminal({ ...env, TESSERA_CLIENT_SECRET: '' }).run('roles'), 3, 'nothing proves it', 'id-token: write');
  const here = { scope: world.organization, allowedNetworks: ['203.0.113.0/24'] };
  dataOf(await world.owner.client.patch(`/api/service-accounts/${id}`, here, world.owner.token));
  expectRefused(await terminal.run('roles'), 1, 'may not be used from this address');
});

test('one ID token of a job serves its commands, also at once, and only where and for whom it was got', async () => {
  const id = await trusting({ project_id: '20', ref: 'main' });
  const idToken = await outer.sign({ ...gitlabClaims(), aud: place.stack.url });
  const env = { TESSERA_CLIENT_ID: id, TESSERA_ID_TOKEN: `${idToken}\n`, TESSERA_SCOPE: place.world.project };
  const terminal = place.openTerminal(env);
  const both = await Promise.all([terminal.run('roles'), terminal.run('whoami')]);
  expect(both.map(({ code, err }) => [code, err])).toStrictEqual(both.map(() => [0, '']));
  expect((await terminal.run('roles')).code).toBe(0);
  const [file = '', ...others] = jobFiles(terminal.home);
  expect(others).toStrictEqual([]);
  const path = join(terminal.home, 'tessera', file);
  expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toStrictEqual([0o600, 0o700]);
  expect(readFileSync(path, 'utf8')).not.toContain(idToken);

  // The file is of no use to another account, nor at another address.
  const home = { XDG_CONFIG_HOME: terminal.home };
  const other = await trusting({ project_id: '21' });
  expectRefused(await place.openTerminal({ ...env, ...home, TESSERA_CLIENT_ID: other }).run('roles'), 3, 'An ID token works once');
  expectRefused(await place.openTerminal({ ...env, ...home, TESSERA_URL: 'http://127.0.0.1:9' }).run('roles'), 1, 'can not be reached');

  // Once the access token has ended it is removed, and the ID token is spent.
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), expiresAt: Date.now() - 1 }));
  expectRefused(await terminal.run('roles'), 3, 'An ID token works once');
  expect(jobFiles(terminal.home)).toStrictEqual([]);

  const now = Math.floor(Date.now() / 1_000);
  const ended = await outer.sign({ ...gitlabClaims(), aud: place.stack.url, iat: now - 1_200, nbf: now - 1_200, exp: now - 600 });
  expectRefused(await place.openTerminal({ ...env, TESSERA_ID_TOKEN: ended }).run('roles'), 3, 'no token', 'have ended');
  expectRefused(await place.openTerminal({ ...env, TESSERA_ID_TOKEN: 'eyJ' }).run('roles'), 2, 'TESSERA_ID_TOKEN is no ID token');
});

test('a GitHub job needs nothing but the id: each command asks for an ID token of its own', async () => {
  const id = await trusting({ repository_id: '74', ref: 'refs/heads/main' });
  const github = await startGitHub(async ({ url, authorization }, response) => {
    if (authorization !== `Bearer ${ticket}`) return response.writeHead(401).end();
    const value = await outer.sign({ ...githubClaims(), aud: url.searchParams.get('audience') });
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ count: 1, value }));
  });
  const env = { TESSERA_CLIENT_ID: id, TESSERA_SCOPE: place.world.project, GITHUB_ACTIONS: 'true', ...github.env };
  const terminal = place.openTerminal(env);
  for (const command of ['roles', 'whoami']) {
    const said = await terminal.run(command);
    expect([said.code, said.err]).toStrictEqualFor(command, [0, '']);
  }
  expect(github.asked.map(({ url }) => url.search)).toStrictEqual(
    Array.from({ length: 2 }, () => `?api-version=2.0&audience=${encodeURIComponent(place.stack.url)}`),
  );
  expect(readdirSync(terminal.home)).toStrictEqual([]);
  const elsewhere = place.openTerminal({ ...env, TESSERA_AUDIENCE: 'https://elsewhere.example' });
  expectRefused(await elsewhere.run('roles'), 3, 'the audience https://elsewhere.example (TESSERA_AUDIENCE)');
});

test('an address that gives no ID token, or leads on, gets nothing from the command and no word of it shown', async () => {
  const id = await trusting({ repository_id: '74' });
  const thief = await startGitHub((_, response) => response.end('{}'));
  const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    'leads to another place': (response) => response.writeHead(307, { location: thief.env.ACTIONS_ID_TOKEN_REQUEST_URL }).end(),
    'refuses, and repeats the ticket': (response) => response.writeHead(403).end(JSON.stringify({ message: ticket })),
    'says nothing': (response) => response.end(),
    'says another thing': (response) => response.end(JSON.stringify({ value: { token: 'eyJ' } })),
    'says something endless': (response) => response.end(JSON.stringify({ value: `eyJ.${'x'.repeat(200_000)}.s` })),
    'has lines in its token': (response) => response.end(JSON.stringify({ value: 'eyJ\r\n.e.s' })),
  };
  for (const answer of Object.values(answers)) {
    const { env } = await startGitHub((_, response) => answer(response));
    const terminal = place.openTerminal({ TESSERA_CLIENT_ID: id, TESSERA_SCOPE: place.world.project, ...env });
    expectRefused(await terminal.run('roles'), 3, 'GitHub gave no ID token');
  }
  expect(thief.asked).toStrictEqual([]);
  const broken = await startGitHub((_, response) => response.writeHead(500).end(ticket));
  const terminal = place.openTerminal({ TESSERA_CLIENT_ID: id, TESSERA_SCOPE: place.world.project, ...broken.env });
  expectRefused(await terminal.run('roles'), 1, 'The address of ACTIONS_ID_TOKEN_REQUEST_URL answered 500');
});
