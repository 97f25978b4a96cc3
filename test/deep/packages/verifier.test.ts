import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readmeExample, unpackPackages } from '../../support/packages/unpack.ts';
import { openStack } from '../../support/shared-stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf } from '../../support/world.ts';

/** The example of the README, and the same in Hono and Express: who is let in, by each. */
const frameworks = (example: string) => `
import createFastify from 'fastify';
import express from 'express';
import { Hono } from 'hono';
import { claimsOf as expressClaims, requireToken as expressGuard } from '@tessera/verifier/express';
import { requireToken as honoGuard } from '@tessera/verifier/hono';
import { claimsOf as webClaims, withToken } from '@tessera/verifier/web';
const fastify = createFastify();
const invoicesOf = (sub) => ({ sub });
${example}
const hono = new Hono();
hono.use(honoGuard(verifier));
hono.get('/invoices', (c) => c.json({ sub: subjectOf(c.get('claims')) }));
const handler = withToken(verifier, (request) => Response.json({ sub: subjectOf(webClaims(request)) }));
const app = express();
app.use(expressGuard(verifier));
app.get('/invoices', (request, response) => response.json({ sub: subjectOf(expressClaims(request)) }));
const server = app.listen(0, '127.0.0.1');
const address = await new Promise((found) => server.once('listening', () => found('http://127.0.0.1:' + server.address().port)));
for (const token of process.argv.slice(2)) {
  const headers = token === 'none' ? {} : { authorization: 'Bearer ' + token };
  const answers = [
    await fastify.inject({ url: '/invoices', headers }).then((answer) => [answer.statusCode, answer.json().sub]),
    ...(await Promise.all(
      [
        hono.request('/invoices', { headers }),
        handler(new Request('http://127.0.0.1/invoices', { headers })),
        fetch(address + '/invoices', { headers }),
      ].map(async (answer) => [(await answer).status, (await (await answer).json()).sub]),
    )),
  ];
  console.log(JSON.stringify(answers));
}
server.close();
`;

test('the example of the README, and the guards of Hono, Express and web handlers, let in a token of the project alone', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = unpackPackages(cleanup, ['verifier'], ['fastify', 'express', 'hono']);
  const stack = await openStack();
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner);
  const tokenOf = async () => {
    const scope = await createProject(owner, organization);
    const roleId = await builtInRole(owner, organization, 'Viewer');
    const { clientId, clientSecret } = dataOf(await owner.client.post('/api/api-keys', { scope, name: 'caller', roleId }, owner.token));
    return { scope, token: dataOf(await owner.client.post('/api/auth/token', { clientId, clientSecret, scope })).accessToken };
  };
  const [own, other] = [await tokenOf(), await tokenOf()];
  const issuer = `${stack.url}/org/${own.scope.id.replace(':', '/prj/')}`;
  const example = readmeExample('verifier', 'ts')
    .replace('https://iam.example.com/org/<orgId>/prj/<projectId>', issuer)
    .replace('https://iam.example.com', stack.url);
  writeFileSync(join(folder, 'frameworks.mjs'), frameworks(example));
  const said = execFileSync(process.execPath, ['frameworks.mjs', own.token, other.token, owner.token, 'none'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const refused = Array.from({ length: 4 }, () => [401, null]);
  const [good, ...bad] = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(bad).toStrictEqual([refused, refused, refused]);
  const caller = { type: 'apiKey', id: expect.any(String) };
  expect(good).toStrictEqual(Array.from({ length: 4 }, () => [200, caller]));
  expect(new Set(good.map(([, { id }]: [number, { id: string }]) => id)).size).toBe(1);
});
