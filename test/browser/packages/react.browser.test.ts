/**
 * The example of @tessera/react's README in a page that another project builds: all it has of ours
 * is the files of `npm pack`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { openBrowser, skip } from '../../support/browser/browser.ts';
import { bundlePage, installPackages } from '../../support/packages/installed-client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { testUnless } from '../../support/unless.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD } from '../../support/world.ts';

const mostBytes = 2_500;

testUnless(skip)('@tessera/react from its packed file: its example is typed, small, batched, and follows changes', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = installPackages(
    cleanup,
    ['client', 'react'],
    ['react', 'react-dom', 'scheduler', '@types/react', '@types/react-dom', 'csstype'],
  );
  const [, example = ''] = readFileSync(join(repositoryFolder, 'packages/react/README.md'), 'utf8').split(/```tsx\n|```/);
  const built = bundlePage(folder, 'app.tsx', example.replace('createRoot(', 'Object.assign(window, { client });\ncreateRoot('));
  assertTypes(folder);
  assertSize(folder);

  const stack = await openStack();
  const owner = await createPerson(stack, { name: 'Olga Owner' });
  const organization = await createOrganization(owner, 'Birch');
  const viewer = await addMember(stack, owner, organization, 'Viewer');
  const { page, complaints } = await (await openBrowser(cleanup))();
  await servePage(page, built);
  const batches: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/is-authorized/batch')) batches.push(String(request.postData()));
  });

  await page.goto(`${stack.url}/tryout/`);
  const signInButton = page.getByRole('button', { name: 'Sign in' });
  await signInButton.waitFor();
  const inPage = (script: string) => page.evaluate(`(async (tessera) => { ${script} })(window.client)`);
  const signIn = (email: string) =>
    inPage(`await tessera.login({ provider: 'email', providerId: '${email}', providerData: { password: '${PASSWORD}' } });`);
  await signIn(viewer.email);
  await page.getByRole('heading', { name: 'Hello Test Person' }).waitFor();
  await page.getByLabel('Organization').selectOption({ label: 'Birch' });
  await page.getByText('You may not invite, and not delete').waitFor();
  // Both questions of the chosen organization went in one request.
  expect(batches.filter((body) => body.includes(organization.id)).map((body) => JSON.parse(body).checks.length)).toStrictEqual([2]);

  // A change elsewhere is seen after a write of this client, which makes every answer old.
  const roleId = await builtInRole(owner, organization, 'Admin');
  const change = { scope: organization, roleId };
  dataOf(await owner.client.patch(`/api/organization-members/${viewer.userId}`, change, owner.token));
  await inPage('await tessera.session.refresh();');
  await page.getByText('You may not invite').waitFor();
  await page.reload();
  await page.getByLabel('Organization').selectOption({ label: 'Birch' });
  await page.getByText('You may invite, and not delete').waitFor();

  // Another person in the same page: nothing of the first one's answers is shown to them.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signInButton.waitFor();
  await signIn(owner.email);
  await page.getByRole('heading', { name: 'Hello Olga Owner' }).waitFor();
  await page.getByText('You may invite, and delete the organization.').waitFor();
  // Also without a sign-out in between, as from another tab.
  await signIn(viewer.email);
  await page.getByRole('heading', { name: 'Hello Test Person' }).waitFor();
  await page.getByText('You may invite, and not delete').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('in a product, the switcher lists the organizations that use it, and questions are asked there', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = installPackages(cleanup, ['client', 'react'], ['react', 'react-dom', 'scheduler']);
  const stack = await openStack();
  const vendor = await createPerson(stack);
  const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'));
  const projectId = product.id.slice(37);
  const make = async (path: string, body: object) =>
    dataOf(await vendor.client.post(`/api/${path}`, { scope: product, ...body }, vendor.token));
  const resource = await make('resources', { name: 'Invoice', slug: 'invoice', actions: ['read'], createPermissions: true });
  const group = await make('groups', { name: 'Readers', permissionIds: [resource.permissions[0].id] });
  const reader = await make('roles', { name: 'Reader', groupIds: [group.id] });

  // Of three organizations: a reader at Acme, without a role at Birch; Cedar does not use it.
  const person = await createPerson(stack);
  const [acme, birch] = [await createOrganization(person, 'Acme'), await createOrganization(person, 'Birch')];
  await createOrganization(person, 'Cedar');
  for (const scope of [acme, birch]) {
    const { id } = await make('project-grants', { organizationId: scope.id });
    dataOf(await person.client.post(`/api/project-grants/${id}/accept`, { scope }, person.token));
  }
  const scope = { tenant: 'organizationProject', id: `${acme.id}:${projectId}` };
  dataOf(await person.client.patch(`/api/users/${person.userId}`, { scope, roleIds: [reader.id] }, person.token));

  const source = `
import { createClient } from '@tessera/client';
import { OrganizationSwitcher, TesseraProvider, useAuthorized } from '@tessera/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
const client = createClient();
function May() {
  const { isAuthorized, isPending } = useAuthorized({ resource: 'invoice', action: 'read' });
  return createElement('p', null, isPending ? 'One moment' : isAuthorized ? 'May read' : 'May not read');
}
createRoot(document.body.appendChild(document.createElement('main'))).render(
  createElement(TesseraProvider, { client, projectId: '${projectId}' }, createElement(OrganizationSwitcher), createElement(May)),
);
Object.assign(window, { client });
`;
  const built = bundlePage(folder, 'product.js', source);
  const { page, complaints } = await (await openBrowser(cleanup))();
  await servePage(page, built);
  await page.goto(`${stack.url}/tryout/`);
  const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
  await page.evaluate(`window.client.login(${JSON.stringify(credentials)})`);
  const switcher = page.getByLabel('Organization');
  await switcher.getByRole('option', { name: 'Birch' }).waitFor({ state: 'attached' });
  expect(await switcher.getByRole('option').allInnerTexts()).toStrictEqual(['–', 'Acme', 'Birch']);
  await switcher.selectOption({ label: 'Acme' });
  await page.getByText('May read').waitFor();
  await switcher.selectOption({ label: 'Birch' });
  await page.getByText('May not read').waitFor();
  expect(complaints).toStrictEqual([]);
});

/** Answers below /tryout/ with the files of a built page: it has the origin of the stack. */
function servePage(page: Page, built: string): Promise<unknown> {
  return page.route('**/tryout/**', (route) => {
    const path = new URL(route.request().url()).pathname.replace('/tryout/', '');
    const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    return route.fulfill({ contentType, body: readFileSync(join(built, path === '' ? 'index.html' : path), 'utf8') });
  });
}

function assertTypes(folder: string): void {
  const compilerOptions = { strict: true, noEmit: true, jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler', types: [] };
  const config = {
    compilerOptions: { ...compilerOptions, lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'] },
    files: ['app.tsx'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(process.execPath, [join(repositoryFolder, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
}

/** What the package adds to a page that has React and the client already. */
function assertSize(folder: string): void {
  const entry = join(folder, 'node_modules/@tessera/react/dist/index.js');
  const config = `export default { build: { outDir: 'alone', lib: { entry: '${entry}', formats: ['es'], fileName: 'alone' }, rolldownOptions: { external: ['react', '@tessera/client'] } } };`;
  writeFileSync(join(folder, 'alone.config.mjs'), config);
  const vite = join(repositoryFolder, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--config', 'alone.config.mjs', '--logLevel', 'error'], { cwd: folder });
  const built = readdirSync(join(folder, 'alone')).filter((name) => name.endsWith('js'));
  const bytes = brotliCompressSync(built.map((name) => readFileSync(join(folder, 'alone', name), 'utf8')).join('')).length;
  expect(bytes).toBeLessThan(mostBytes);
  console.info(`@tessera/react: ${bytes} bytes compressed`);
}
