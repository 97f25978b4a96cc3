import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { openStack } from './stack.ts';
import { createPerson } from './world.ts';

function textOf(name: string): string {
  return readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
}

test('what the dashboard and the alerts look at, and the documentation names, is measured by the running system', async () => {
  const stack = await openStack();
  await createPerson(stack);
  const inner = Object.values(stack.httpUrls).map(async (url) => {
    const dispatcher = new Agent({ connect: { socketPath: url.slice('unix:'.length) } });
    const text = await (await request('http://localhost/metrics', { dispatcher })).body.text();
    await dispatcher.close();
    return text;
  });
  const outer = request(`${stack.url}/metrics`).then(({ body }) => body.text());
  const measured = (await Promise.all([...inner, outer])).join('\n');
  const wanted = [textOf('observability/dashboard.json'), textOf('observability/alerts.yml'), textOf('README.md')].flatMap((text) =>
    [...text.matchAll(/\b(?:http|grpc|operations|postgres|events|rbac|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name),
  );
  expect(new Set(wanted).size).toBeGreaterThanOrEqual(12);
  for (const name of new Set(wanted))
    expect(new RegExp(`^${name}(?:_bucket|_count)?[{ ]`, 'm').test(measured)).toStrictEqualFor(name, true);
});
