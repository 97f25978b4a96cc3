/** Webhooks in the console, and what the receiver of docs/webhooks.md gets from the system. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { keepPicture, skip } from '../../support/browser/browser.ts';
import { heading, press, shareStack } from '../../support/browser/journey.ts';
import { choose, look, pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

/** The program of docs/webhooks.md prints the id and type of each event that it has verified. */
async function startReceiver(port: number, secret: string) {
  const text = readFileSync(join(repositoryFolder, 'docs/webhooks.md'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'tessera-webhooks-'));
  symlinkSync(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), /^```js\n(.*?)^```$/ms.exec(text)?.[1] ?? '');
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await until(() => isListening(port));
  const received = () => printed.trim().split('\n').filter(Boolean);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) await Promise.all([once(child, 'exit'), child.kill()]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { received, stop, [Symbol.asyncDispose]: stop };
}

testUnless(skip)('an Owner makes a webhook, tests it, sees what it was told, sends it again and removes it', async () => {
  const { owner, organization, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(organization, 'webhooks'));
  await heading(page, 'Webhooks');
  await page.getByText('No webhooks yet').waitFor();
  await look(page, 'webhooks-none');

  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  await press(page, 'New webhook');
  await page.getByRole('dialog').getByLabel('Address').fill(url);
  await look(page, 'webhook-new');
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  const secret = await page.getByRole('dialog', { name: 'The secret of the webhook' }).locator('code').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByLabel('I have kept it').check();
  await press(page, 'Done');
  await heading(page, url);
  expect(await page.getByText(secret).count()).toBe(0);

  await using receiver = await startReceiver(port, secret);
  await press(page, 'Send a test');
  await page.getByText('The address has accepted the test (204).').waitFor();
  await look(page, 'webhook-tested');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  // Another service, in a project of the organization.
  dataOf(await owner.client.post('/api/roles', { scope: project, name: 'Auditor' }, owner.token));
  const expected = ['webhook.test', 'webhook.tested', 'role.created'];
  const types = () => receiver.received().map((line) => line.split(' ')[1]);
  await until(() => expected.every((type) => types().includes(type)), 30_000);

  await receiver.stop();
  await page.reload();
  await choose(page, 'Role: created', 'Send again');
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await page.getByText('It is being sent again').waitFor();
  await until(async () => {
    await page.reload();
    await page.getByRole('row', { name: /Role: created/ }).waitFor();
    return (await page.getByRole('row', { name: /Role: created.*No connection/ }).count()) > 0;
  }, 30_000);
  await page.getByRole('button', { name: 'Role: created' }).click();
  await page.getByRole('dialog').getByText('No connection').first().waitFor();
  await look(page, 'webhook-delivery');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await look(page, 'webhook-deliveries');
  // A usual window: the table is as wide as it can be, and no status is cut.
  await page.setViewportSize({ width: 1280, height: 800 });
  await keepPicture(page, 'console-webhook-deliveries-1280');
  const statuses = await page
    .getByRole('cell')
    .getByText(/^(Waiting|Delivered)$/)
    .all();
  expect(statuses.length).toBeGreaterThan(1);
  // A part of a pixel counts as one.
  for (const status of statuses) expect(await status.evaluate((label) => label.scrollWidth - label.clientWidth)).toBeLessThanOrEqual(1);

  // The question can be left.
  await press(page, 'Delete');
  await press(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'Delete');
  await page.getByRole('dialog').getByRole('textbox').fill(url);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
  expect(complaints).toStrictEqual([]);
});
