import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Mail } from './mail.ts';
import { createOutboxTransport } from './outbox-transport.ts';

const mail: Mail = {
  to: 'ada@example.com',
  subject: 'Confirm your address',
  template: 'verify-email',
  data: { token: 'a-secret' },
  text: 'Confirm: https://iam.example.com/auth/verify-email?token=a-secret',
  html: '<img src="cid:logo@mail" alt="" /><a href="https://iam.example.com/auth/verify-email?token=a-secret">Confirm</a> cid:logo@mail',
  logo: { id: 'logo@mail', contentType: 'image/png', content: 'iVBORw0KGgo=' },
  createdAt: '2026-01-02T03:04:05.678Z',
};

test('a mail is a file for programs and one for a browser, which only their owner reads, however often it is sent', async () => {
  await using cleanup = new AsyncDisposableStack();
  const parent = mkdtempSync(join(tmpdir(), 'outbox-'));
  cleanup.defer(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'outbox');
  const lines: string[] = [];
  const transport = createOutboxTransport(folder, { info: (details) => lines.push(JSON.stringify(details)) });
  await transport.send('number-1', mail);
  await transport.send('number-1', mail);
  const name = '2026-01-02T03-04-05.678Z-number-1';
  expect(readdirSync(folder).sort()).toStrictEqual([`${name}.html`, `${name}.json`]);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toStrictEqualFor(file, 0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))).toStrictEqual(mail);
  expect(readFileSync(join(folder, `${name}.html`), 'utf8')).toBe(
    mail.html.replace('src="cid:logo@mail"', 'src="data:image/png;base64,iVBORw0KGgo="'),
  );
  expect(lines.join()).not.toContain('a-secret');
});
