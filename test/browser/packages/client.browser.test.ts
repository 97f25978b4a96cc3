/**
 * The packed client in a page that another project builds: all it has is the file of `npm pack`.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { bundleClient, installClient } from '../../support/packages/installed-client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { testUnless } from '../../support/unless.ts';

testUnless(skip)('@tessera/client from its packed file registers, keeps the session over a reload and signs out, in a page', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = bundleClient(installClient(cleanup));
  const stack = await openStack();
  const { page, complaints } = await (await openBrowser(cleanup))();
  // The page of another project, on the address of Tessera as behind one proxy.
  await page.route('**/tryout/**', (route) => {
    const path = new URL(route.request().url()).pathname.replace('/tryout/', '');
    const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    return route.fulfill({ contentType, body: readFileSync(join(folder, path === '' ? 'index.html' : path), 'utf8') });
  });
  const run = (script: string) => page.evaluate(`(async (tessera) => { ${script} })(window.tessera)`);
  await page.goto(`${stack.url}/tryout/`);
  const email = `packed-${randomUUID()}@example.com`;
  const method = `provider: 'email', providerId: '${email}', providerData: { password: 'Packed-Horse-42' }`;
  await run(`await tessera.register({ name: 'Packed', ${method} });`);
  await page.reload();
  await expect(run('return (await tessera.getMe()).email;')).resolves.toBe(email);
  await expect(
    run('const found = []; for await (const { isCurrent } of tessera.listMySessions()) found.push(isCurrent); return found;'),
  ).resolves.toStrictEqual([true]);
  await expect(run(`return tessera.register({ ${method} }).catch(({ name, code }) => [name, code]);`)).resolves.toStrictEqual([
    'TesseraError',
    'CONFLICT',
  ]);
  await expect(
    run('await tessera.signOut(); return [tessera.session.state, await tessera.session.token() ?? null];'),
  ).resolves.toStrictEqual(['signed-out', null]);
  expect(complaints).toStrictEqual([]);
});
