/** The links of every page of the repository lead to a file, and to a heading that it has. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';

type Pages = { readonly read: (path: string) => string; readonly isThere: (path: string) => boolean };

/** What code shows is no link and no heading. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *(```+).*?^ *\1 *$/gms, '');
}

/** As GitHub names them; a heading that comes again gets a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#+ +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** The links of a page that lead nowhere. */
function deadLinks(path: string, { read, isThere }: Pages): readonly string[] {
  const text = withoutBlocks(read(path)).replaceAll(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (target.startsWith('..') || !isThere(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
  });
}

test('every link of every page leads to a file of the repository, and to a heading that it has', () => {
  const pages: Pages = {
    read: (path) => readFileSync(join(repositoryFolder, path), 'utf8'),
    isThere: (path) => existsSync(join(repositoryFolder, path)),
  };
  const paths = globSync('{*,{docs,packages,services,kernel,deploy,test,tools,web,proto,examples}/**/*}.md', {
    cwd: repositoryFolder,
    exclude: (name) => /(^|\/)(node_modules|dist|coverage)$/.test(name),
  });
  expect(paths.length).toBeGreaterThan(70);
  for (const path of paths) expect(deadLinks(path, pages)).toStrictEqualFor(path, []);
});

test('docs/README.md leads to every page of docs/ and of its guides', () => {
  const index = ['docs/README.md', 'docs/guides/README.md'].map((path) => readFileSync(join(repositoryFolder, path), 'utf8')).join('');
  const pages = globSync('{*,guides/*}.md', { cwd: join(repositoryFolder, 'docs') }).filter((page) => page !== 'README.md');
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((page) => !index.includes(`(${page.replace(/^guides\/(?!README)/, '')})`))).toStrictEqual([]);
});

test('a link to a missing file, to a missing heading, or out of the repository is found', () => {
  const files: Readonly<Record<string, string>> = {
    'docs/one.md': [
      '# One\n## Made of `two` [parts](two.md)\n## Same\n## Same',
      '[a](two.md) [b](two.md#first-steps) [c](../README.md) [d](#made-of-two-parts) [e](https://example.com/none) [f](#same-1)',
      '`[g](none.md)`\n```md\n[h](none.md)\n```',
      '[i](none.md) [j](two.md#later) [k](../../outside.md) [l](#two) [m](two.md#not-a-heading)',
    ].join('\n'),
    'docs/two.md': '# First steps\n```sh\n# not a heading\n```\n',
    'README.md': '',
  };
  const pages: Pages = { read: (path) => files[path] ?? '', isThere: (path) => path in files };
  expect(deadLinks('docs/one.md', pages)).toStrictEqual(['none.md', 'two.md#later', '../../outside.md', '#two', 'two.md#not-a-heading']);
});
