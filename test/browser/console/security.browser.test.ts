/**
 * What an organization demands of sessions, and who does not meet it yet. What the pages for
 * developers do with the session of the console.
 */
import { createServer } from 'node:http';
import { expect } from '@jest/globals';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { listen } from '../../../services/gateway/src/testing/service.ts';
import { keepPicture, skip } from '../../support/browser/browser.ts';
import { at, heading, open, openOwnMenu, press, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson, dataOf, PASSWORD } from '../../support/world.ts';

shareStack();

const bar = (page: Page) => page.getByRole('region', { name: 'Console session' });

testUnless(skip)('an Owner sees who has no second factor, sets one up when asked, and demands it', async () => {
  const members = await team();
  const { owner, organization } = members;
  const viewer = await memberOf(members, 'Viewer');
  const { page } = await visit(owner, pathOf(organization, 'security'));
  await heading(page, 'Security');
  const without = page.getByRole('list', { name: 'Members without a second factor' }).getByRole('listitem');
  await without.first().waitFor();
  expect(await without.count()).toBe(2);
  await page.getByLabel('Longest age of a sign-in, in minutes').fill('600');
  await page.getByLabel('Demand a second factor of everybody').check();
  await press(page, 'Save');
  await page.getByRole('dialog').getByText('This needs a sign-in with a second factor').waitFor();
  await press(page, 'Close');

  // A new factor ends this session; what was typed is still there after the sign-in.
  const { factor, secret } = dataOf(await owner.client.post('/api/me/second-factors/totp', {}, owner.token));
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 });
  dataOf(await owner.client.post(`/api/me/second-factors/${factor.id}/confirm`, { code }, owner.token));
  await page.reload();
  await signIn(page, owner.email);
  await page.getByLabel('Code').fill(generateSync({ secret }));
  await heading(page, 'Security');
  expect(await page.getByLabel('Demand a second factor of everybody').isChecked()).toBe(true);
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await page.getByRole('list', { name: 'Members without a second factor' }).getByRole('listitem').first().waitFor();
  await look(page, 'security');

  // The demand holds for a session that a page for developers uses, too.
  const other = await visit(viewer, '/graphql');
  await press(other.page, 'Use my console session');
  await bar(other.page).getByText(`act as ${viewer.email}`).waitFor();
  const list = `/api/organization-members?${new URLSearchParams({ scopeId: organization.id, tenant: organization.tenant })}`;
  const read = `consoleSession.fetch('${list}').then((response) => response.json()).then(({ code }) => code)`;
  expect(await other.page.evaluate(read)).toBe('SECOND_FACTOR_REQUIRED');
});

const responses = { 200: { description: 'As it is' } };

/** Swagger UI takes seconds for the whole document. */
async function showOnly(page: Page, document: object, path: string, operation: object): Promise<void> {
  const json = { openapi: '3.1.0', info: { title: 'Some', version: '1' }, ...document, paths: { [path]: { get: operation } } };
  await page.route('**/api-docs.json', (route) => route.fulfill({ json }));
}

/** Nothing that the browser keeps, and nothing that the page shows, holds a token. */
async function expectNoTokenKept(page: Page): Promise<void> {
  const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.body.innerText])';
  expect(await page.evaluate(kept)).not.toMatch(/eyJ|authorization: bearer ey/i);
}

testUnless(skip)('the API page uses the session of the console when told so, names the person, and stops with a sign-out', async () => {
  const person = await createPerson(signIns().stack, { name: 'Dora Developer' });
  const { page, context, complaints } = await open();
  const components = { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } };
  await showOnly(page, { components }, '/api/me', { operationId: 'getMe', tags: ['me'], security: [{ bearer: [] }], responses });
  const asked: string[] = [];
  const sent: (string | undefined)[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    asked.push(pathname);
    if (pathname === '/api/me') sent.push(request.headers()['authorization']);
  });
  // A document of another host is not read, and nothing is sent before the press.
  await page.goto(at('/api-docs?url=https://evil.example/api.json&configUrl=https://evil.example/config.json#/me/getMe'));
  await bar(page).getByText('Requests on this page carry no session.').waitFor();
  const execute = page.locator('#operations-me-getMe').getByRole('button', { name: 'Execute' });
  await execute.waitFor();
  expect(asked.filter((path) => path.startsWith('/api/'))).toStrictEqual([]);
  for (const [size, viewport] of [
    ['wide-light', { width: 1440, height: 900 }],
    ['narrow-light', { width: 360, height: 740 }],
  ] as const) {
    await page.setViewportSize(viewport);
    await keepPicture(page, 'api-docs-unused', size);
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  // Who is not signed in comes back to the same operation.
  await press(page, 'Use my console session');
  await heading(page, /Sign in to/);
  await signIn(page, person.email, PASSWORD);
  await page.waitForURL(at('/api-docs#/me/getMe'));
  await bar(page).getByText('carry no session').waitFor();
  sent.length = 0;
  await execute.click();
  await page.locator('.live-responses-table .response-col_status', { hasText: '401' }).waitFor();
  await press(page, 'Use my console session');
  await bar(page).getByText(`act as ${person.email}, unless`).waitFor();
  await execute.click();
  await page.locator('.live-responses-table', { hasText: person.email }).waitFor();
  expect(await page.locator('.curl-command').innerText()).not.toMatch(/authorization/i);
  await expectNoTokenKept(page);
  await keepPicture(page, 'api-docs-used');
  await page.setViewportSize({ width: 360, height: 740 });
  await keepPicture(page, 'api-docs-used', 'narrow-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture(page, 'api-docs-used', 'narrow-dark');
  await page.setViewportSize({ width: 1440, height: 900 });

  // A pasted token counts.
  await page.locator('.auth-wrapper .authorize').first().click();
  await page.locator('#auth-bearer-value').fill('pasted');
  await press(page, 'Apply credentials');
  await press(page, 'Close');
  await execute.click();
  await page.locator('.live-responses-table .response-col_status', { hasText: '401' }).waitFor();
  // The first token is of the bar, which asks who it is.
  const ofSession = expect.stringMatching(/^Bearer ey/);
  expect(sent).toStrictEqual([undefined, ofSession, ofSession, 'Bearer pasted']);

  const tab = await context.newPage();
  await tab.goto(at('/console'));
  await openOwnMenu(tab);
  await press(tab, 'Sign out');
  await bar(page).getByText('Your console session has ended.').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('GraphiQL uses the session of the console until it is stopped, and keeps no token', async () => {
  const person = await createPerson(signIns().stack, { name: 'Dora Developer' });
  const { page, complaints } = await visit(person, '/graphql');
  await bar(page).getByText('Requests on this page carry no session.').waitFor();
  const run = page.locator('.graphiql-execute-button');
  await run.waitFor();
  await keepPicture(page, 'graphiql-unused');
  await press(page, 'Use my console session');
  await bar(page).getByText(`act as ${person.email}, unless`).waitFor();
  await run.click();
  await page.locator('.result-window', { hasText: person.email }).waitFor();
  await expectNoTokenKept(page);
  await keepPicture(page, 'graphiql-used');
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture(page, 'graphiql-used', 'wide-dark');
  await page.setViewportSize({ width: 360, height: 740 });
  await keepPicture(page, 'graphiql-used', 'narrow-dark');
  await page.setViewportSize({ width: 1440, height: 900 });
  await press(page, 'Stop using it');
  await bar(page).getByText('carry no session').waitFor();
  await run.click();
  await page.locator('.result-window', { hasText: 'UNAUTHENTICATED' }).waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('another origin gets no token: by a document with its address, a redirect, or a script in a description', async () => {
  await using cleanup = new AsyncDisposableStack();
  const arrived: (string | undefined)[] = [];
  const other = await listen(
    cleanup,
    createServer(({ headers }, response) => {
      arrived.push(headers.authorization);
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*').end('{}');
    }),
  );
  const person = await createPerson(signIns().stack, { name: 'Dora Developer' });
  const { page } = await visit(person, '/console');
  const hostile =
    '<img src=x onerror="globalThis.isHacked=1"><script>globalThis.isHacked=1</script> [link](javascript:globalThis.isHacked=1)';
  const operation = { operationId: 'steal', tags: ['me'], summary: hostile, description: hostile, responses };
  const document = { info: { title: hostile, version: '1', description: hostile }, servers: [{ url: other }] };
  await showOnly(page, document, '/steal', operation);
  await page.goto(at('/api-docs#/me/steal'));
  await press(page, 'Use my console session');
  await bar(page).getByText(`act as ${person.email}`).waitFor();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table', { hasText: 'Failed to fetch' }).waitFor();
  const start = `consoleSession.fetch('/api/auth/codehost?action=login').then(() => 'sent', ({ name }) => name)`;
  expect(await page.evaluate(start)).toBe('TypeError');
  expect(await page.evaluate('globalThis.isHacked ?? 0')).toBe(0);
  expect(arrived).toStrictEqual([]);
});
