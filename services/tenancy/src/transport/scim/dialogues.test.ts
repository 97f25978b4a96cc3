/** The test sequences that Okta and Microsoft publish, as files of requests and answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isObject } from '../../domain/scim/resource.ts';
import { openDirectory } from '../../testing/scim.ts';
import { openTestService } from '../../testing/service.ts';

type Step = {
  readonly step: string;
  readonly request: { readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly path: string; readonly body?: unknown };
  /** `absent`: what the answer must not have; a slash leads into an object. */
  readonly answer: { readonly status: number; readonly body?: unknown; readonly absent?: readonly string[] };
  /** Values of the answer for later steps. */
  readonly keep?: Readonly<Record<string, string>>;
};
type Dialogue = { readonly about: string; readonly domain: string; readonly steps: readonly Step[] };

const service = await openTestService();
afterAll(() => service.close());

function read(name: string): Dialogue {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'dialogues', `${name}.json`), 'utf8'));
}

/** Its objects may have more than is expected, its lists may not. */
function expected(value: unknown): unknown {
  if (value === '<any>') return expect.anything();
  if (Array.isArray(value)) return value.map(expected);
  if (!isObject(value)) return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, expected(part)])));
}

function at(value: unknown, path: string): unknown {
  // Names of extensions have a colon and a dot, and no slash.
  return path.split('/').reduce((found, name) => (isObject(found) ? found[name] : undefined), value);
}

describe.each(['okta', 'entra'])('the published sequence of %s', (name) => {
  const { domain, steps } = read(name);
  const kept: Record<string, string> = {};
  const filled = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (whole, key: string) => kept[key] ?? whole));
  const directory = openDirectory(service, name).then(async (opened) => {
    await opened.prove(domain);
    return opened;
  });

  test.each(steps.map((one) => [one.step, one] as const))('%s', async (_step, one) => {
    const { ask } = await directory;
    const { method, path, body } = filled(one.request);
    const answer = await ask(method, path, body);
    expect(answer.status).toStrictEqualFor(JSON.stringify(answer.json), one.answer.status);
    if (one.answer.body !== undefined) expect(answer.json).toEqual(expected(filled(one.answer.body)));
    for (const absent of one.answer.absent ?? []) expect(at(answer.json, absent)).toBeUndefined();
    for (const [key, field] of Object.entries(one.keep ?? {})) kept[key] = String(at(answer.json, field));
  });
});
