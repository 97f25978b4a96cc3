/** The pages of the site: Markdown files of the repository, and where each stands. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export type Page = {
  /** In the repository. */
  readonly source: string;
  /** On the site: an address relative to its root, with the ending. */
  readonly path: string;
};

const places = [
  'docs/**/*.md',
  'packages/*/README.md',
  'deploy/README.md',
  'examples/*/README.md',
  '{README,ARCHITECTURE,CHANGELOG,CONTRIBUTING,SECURITY}.md',
];

function pathOf(source: string): string {
  if (source === 'README.md') return 'tessera.md';
  const [, place] = /^((?:packages|examples)\/[^/]+)\/README\.md$/.exec(source) ?? [];
  if (place !== undefined) return `${place}.md`;
  if (source === 'deploy/README.md') return 'deploy.md';
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : source.toLowerCase();
  return path.replace(/README\.md$/, 'index.md');
}

export function pagesOf(root: string): readonly Page[] {
  const sources = globSync(places, { cwd: root, exclude: (name) => name === 'node_modules' });
  return sources.sort().map((source) => ({ source, path: pathOf(source) }));
}

/** The text, with `change` applied outside of blocks of code. */
function outsideOfBlocks(text: string, change: (part: string) => string): string {
  const blocks = /^ *(```+).*?^ *\1 *$/gms;
  let result = '';
  let end = 0;
  for (const { 0: block, index } of text.matchAll(blocks)) {
    result += change(text.slice(end, index)) + block;
    end = index + block.length;
  }
  return result + change(text.slice(end));
}

/** Pages link as in the repository. A link to a file that is no page stays as its text. */
export function linkedText(page: Page, text: string, pages: ReadonlyMap<string, string>): string {
  const linkOf = (label: string, target: string) => {
    if (/^(?:https?:|mailto:|#)/.test(target)) return `[${label}](${target})`;
    const [file = '', anchor] = target.split('#');
    const source = normalize(join(dirname(page.source), file)).replace(/\/$/, '');
    if (source === 'docs/openapi.json') return `[${label}](/openapi.json)`;
    const found = pages.get(source) ?? pages.get(`${source}/README.md`) ?? (source === 'docs/decisions' ? 'decisions/index.md' : undefined);
    if (found === undefined) return label;
    const place = relative(dirname(page.path), found);
    return `[${label}](${place.startsWith('.') ? place : `./${place}`}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return outsideOfBlocks(text, (part) =>
    part.replaceAll(/(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_whole, label: string, target: string) => linkOf(label, target)),
  );
}

export function titleOf(text: string): string {
  return (/^# +(.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
}

export type Entry = { readonly title: string; readonly link: string; readonly about: string };
export type Section = { readonly title: string; readonly entries: readonly Entry[] };

/** The sections of a list of pages, as docs/README.md writes them. */
export function sectionsOf(index: string): readonly Section[] {
  return index
    .split(/^## +/m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { title, entries: lines.join('\n').split(/^- /m).slice(1).flatMap(entriesOf) };
    });
}

/** `Decisions: [over gRPC](…), [conditions](…).` has two, `[SCIM](…): what it is.` has one. */
function entriesOf(item: string): readonly Entry[] {
  const lead = /^[A-Z]\w+: (?=\[)/.exec(item)?.[0] ?? '';
  const links = [...item.matchAll(/\[([^\]]+)\]\(\.\/([^)#]+\.md)(?:#[^)]*)?\)/g)];
  const about = links.length === 1 ? plainText(/\)\s*:\s*([\s\S]*)$/.exec(item)?.[1] ?? '') : '';
  return links.map(([, name = '', link = '']) => ({ title: `${lead}${name}`, link, about }));
}

/** The guides, as the table of docs/guides/README.md lists them. */
export function guidesOf(index: string): Section {
  const rows = [...index.matchAll(/^\| (\[.*?) \| (.*) \|$/gm)];
  const entries = rows.flatMap(([, cell = '', about = '']) =>
    [...cell.matchAll(/\[([^\]]+)\]\((?:\.\.?\/)([\w/-]+\.md)\)/g)].map(([, title = '', link = '']) => ({
      title,
      link: /^(?:packages|examples)\//.test(link) ? link : `guides/${link}`,
      about: plainText(about),
    })),
  );
  return { title: 'Guides', entries };
}

function plainText(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const summary =
  'A multi-tenant identity and access-management platform: sign-in, organizations, roles, decisions, API keys, webhooks and an OpenID provider for each project, over REST, GraphQL and gRPC.';

/** llms.txt (llmstxt.org): what there is to read, as a list in Markdown. */
export function llmsText(sections: readonly Section[], baseUrl: string): string {
  const lineOf = ({ title, link, about }: Entry) => `- [${title}](${baseUrl}/${link})${about === '' ? '' : `: ${about}`}`;
  const lists = sections.map(({ title, entries }) => `## ${title}\n\n${entries.map(lineOf).join('\n')}\n`);
  const whole = `[llms-full.txt](${baseUrl}/llms-full.txt) has all pages in one file, [openapi.json](${baseUrl}/openapi.json) the API.`;
  return [`# Tessera\n`, `> ${summary}\n`, `${whole}\n`, ...lists].join('\n');
}

export function readPage(root: string, { source }: Page): string {
  return readFileSync(join(root, source), 'utf8');
}
