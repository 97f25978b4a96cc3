/** What a person sees of a client that is not registered, before they allow it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from '@jest/globals';
import { issuerOf } from '@tessera/kernel/tokens';
import { startDocumentHost } from '../../../services/identity/src/testing/document-host.ts';
import { look, skip } from '../../support/browser/browser.ts';
import { heading, open, press, shareStack, signIn, signIns } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { pathOf } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf, PASSWORD } from '../../support/world.ts';

shareStack();
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

testUnless(skip)(
  'the page names the domain of a client, its own name as its own word, and that any program here could ask; the console shows and ends it',
  async () => {
    const host = await startDocumentHost();
    cleanup.defer(() => host.stop());
    const { stack, createShop } = signIns();
    const { owner, project, roleId } = await createShop();
    dataOf(await owner.client.patch(`/api/users/${owner.userId}`, { scope: project, roleIds: [roleId] }, owner.token));
    const rules = { scope: project, allowClientMetadataDocuments: true, clientDomains: [host.host], clientScopes: ['order:read'] };
    dataOf(await owner.client.call('PUT', '/api/client-documents', { body: rules, token: owner.token }));
    // The program on the device, at a port of its own.
    const program = createServer(
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back</h1>'),
    );
    program.listen(0, '127.0.0.1');
    await once(program, 'listening');
    cleanup.defer(() => new Promise<void>((resolve) => void program.close(() => resolve()).closeAllConnections()));
    const redirect = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
    const url = host.serve('/agent.json', { client_name: 'Your Bank', redirect_uris: ['http://127.0.0.1/callback'] });
    const request = new URL(`${issuerOf(stack.url, project)}/oauth/authorize`);
    request.search = new URLSearchParams({
      client_id: url,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'openid order:read',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }).toString();

    const { page } = await open();
    await page.goto(request.href);
    await signIn(page, owner.email, PASSWORD);
    await heading(page, `Allow ${host.host}?`);
    const text = await page.locator('main').innerText();
    for (const words of [
      url,
      `It calls itself “Your Bank”. Nobody has checked this name.`,
      'If a link or a message brought you to this page, refuse.',
    ])
      expect(text).toContain(words);
    expect(await page.title()).not.toContain('Your Bank');
    await look(page, 'document-client');
    await press(page, 'Refuse');
    await heading(page, 'Back');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');

    // The Owner finds it among the apps of the project, and lets its host in no more.
    await page.goto(`${stack.url}${pathOf(project, 'apps')}`);
    await heading(page, 'Apps');
    const panel = page.getByRole('region', { name: 'Clients that nobody has registered' });
    await panel.getByText(url).waitFor();
    await panel.getByText('order:read').waitFor();
    await look(page, 'document-clients');
    await press(page, 'Change who comes in');
    const hosts = page.getByRole('combobox', { name: 'Hosts' });
    await hosts.press('Backspace');
    await press(page, 'Save');
    await page.getByText('Enter at least one host.').waitFor();
    await hosts.fill('mcp.example.com/agent');
    await hosts.press('Enter');
    await press(page, 'Save');
    await page.getByText('Enter the exact name of a host').waitFor();
    await hosts.press('Backspace');
    await hosts.fill('mcp.example.com');
    await hosts.press('Enter');
    await page.getByText('Clients of a host that you leave out end at once').waitFor();
    await look(page, 'document-clients-edit');
    await press(page, 'Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await panel.getByText('mcp.example.com').waitFor();
    expect(await panel.getByText(url).count()).toBe(0);
    const kept = dataOf(await owner.client.get(`/api/client-documents?${inScope(project)}`, owner.token));
    expect(kept).toMatchObject({ allowClientMetadataDocuments: true, clientDomains: ['mcp.example.com'], clientScopes: ['order:read'] });
  },
);
