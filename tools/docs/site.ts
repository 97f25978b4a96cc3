/** Builds the site from the pages, with VitePress, which is installed for this alone. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';
import { guidesOf, linkedText, llmsText, pagesOf, readPage, type Section, sectionsOf, titleOf } from './pages.ts';

const site = join(repositoryFolder, 'site');
const staged = join(site, '.staged');
export const builtSite = join(site, 'dist');

/** By the lock file of the site; the product's own has none of it. */
export function installSite(): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(site, 'package-lock.json')))
    .digest('hex');
  const stamp = join(site, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: site, stdio: 'inherit' });
  writeFileSync(stamp, digest);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Writes the pages as the site has them, and returns what llms.txt and its like are made of. */
function stage(): { readonly sections: readonly Section[]; readonly texts: ReadonlyMap<string, string> } {
  rmSync(staged, { recursive: true, force: true });
  const pages = pagesOf(repositoryFolder);
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const texts = new Map(pages.map((page) => [page.path, linkedText(page, readPage(repositoryFolder, page), paths)]));
  const decisions = [...texts].filter(([path]) => path.startsWith('decisions/'));
  const list = decisions.map(([path, text]) => `- [${titleOf(text)}](./${path.slice('decisions/'.length)})`);
  texts.set('decisions/index.md', `# Decisions\n\nWhy things are as they are.\n\n${list.join('\n')}\n`);
  for (const [path, text] of texts) write(join(staged, path), text);
  for (const folder of ['console', 'connections'])
    cpSync(join(repositoryFolder, 'docs', folder), join(staged, folder), { recursive: true, filter: (path) => !path.endsWith('.md') });
  mkdirSync(join(staged, 'public'), { recursive: true });
  copyFileSync(join(repositoryFolder, 'docs', 'openapi.json'), join(staged, 'public', 'openapi.json'));
  const sections = [...sectionsOf(texts.get('index.md') ?? ''), guidesOf(texts.get('guides/index.md') ?? '')];
  const named = (prefix: string) =>
    [...texts].filter(([path]) => path.startsWith(prefix)).map(([path, text]) => ({ text: titleOf(text), link: `/${path}` }));
  const sidebar = [
    ...sections.map(({ title, entries }) => ({
      text: title,
      collapsed: title === 'Guides',
      items: entries.map(({ title: text, link }) => ({ text, link: `/${link}` })),
    })),
    { text: 'Packages', collapsed: true, items: named('packages/') },
    { text: 'Decisions', collapsed: true, items: named('decisions/') },
  ];
  write(join(site, '.vitepress', 'sidebar.json'), JSON.stringify(sidebar));
  return { sections, texts };
}

/** `baseUrl` is where the site will stand; llms.txt leads there. */
export function buildSite(baseUrl: string): void {
  const { sections, texts } = stage();
  const vitepress = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  execFileSync(process.execPath, [vitepress, 'build', site], { cwd: site, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const [path, text] of texts) write(join(builtSite, path), text);
  write(join(builtSite, 'llms.txt'), llmsText(sections, baseUrl));
  write(join(builtSite, 'llms-full.txt'), [...texts.values()].join('\n\n'));
}
