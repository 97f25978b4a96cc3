import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';
import { guidesOf, linkedText, llmsText, pagesOf, readPage, sectionsOf } from './pages.ts';

const pages = pagesOf(repositoryFolder);
const paths = new Map(pages.map(({ source, path }) => [source, path]));

test('the links of a page lead to the same pages on the site, and those to other files become text', () => {
  const page = { source: 'docs/guides/express.md', path: 'guides/express.md' };
  const linked = (text: string) => linkedText(page, text, paths);
  expect(linked('[a](../openid.md#keys) and [b](README.md)')).toBe('[a](../openid.md#keys) and [b](./index.md)');
  expect(linked('[a](../../packages/next/README.md), [b](../../CHANGELOG.md)')).toBe('[a](../packages/next.md), [b](../changelog.md)');
  expect(linked('[a](../../tools/run.mjs) and [b](https://example.com) and [c](../decisions)')).toBe(
    'a and [b](https://example.com) and [c](../decisions/index.md)',
  );
  expect(linked('[a](../openapi.json)')).toBe('[a](/openapi.json)');
  const block = '```md\n[a](../../tools/run.mjs)\n```';
  expect(linked(block)).toBe(block);
});

test('no two pages have the same place, and every link between them has its target', () => {
  expect(new Set(paths.values()).size).toBe(pages.length);
  expect(pages.length).toBeGreaterThan(80);
  const targets = new Set([...paths.values(), 'decisions/index.md']);
  for (const page of pages) {
    const text = linkedText(page, readPage(repositoryFolder, page), paths)
      .replaceAll(/^ *(```+).*?^ *\1 *$/gms, '')
      .replaceAll(/`[^`\n]*`/g, '');
    const links = [...text.matchAll(/\]\((\.{1,2}\/[^)#\s]+\.md)/g)].map(([, link = '']) => join(page.path, '..', link));
    expect(links.filter((link) => !targets.has(link))).toStrictEqualFor(page.source, []);
  }
});

test('llms.txt lists every section of the documentation and every guide, with addresses and what each is about', () => {
  const read = (source: string) =>
    linkedText({ source, path: paths.get(source) ?? '' }, readFileSync(join(repositoryFolder, source), 'utf8'), paths);
  const text = llmsText([...sectionsOf(read('docs/README.md')), guidesOf(read('docs/guides/README.md'))], 'https://docs.example');
  expect(text).toMatch(/^# Tessera\n\n> /);
  expect(text).toContain('- [SCIM](https://docs.example/scim.md): an organization');
  expect(text).toContain('- [README](https://docs.example/tessera.md): start everything');
  expect(text).toContain('- [Decisions: over gRPC](https://docs.example/decisions-over-grpc.md)\n');
  expect(text).toContain('- [Express](https://docs.example/guides/express.md): protect a service');
  expect(text).toContain('(https://docs.example/packages/create-tessera.md)');
  expect(text).not.toMatch(/\]\(\.|undefined/);
});
