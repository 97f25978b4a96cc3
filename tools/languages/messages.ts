import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { en } from '../../services/identity/src/mail/texts/en.ts';
import * as audit from '../../web/src/words/audit.ts';
import * as sentences from '../../web/src/words/audit-sentences.ts';
import * as builtIn from '../../web/src/words/built-in.ts';
import { catalogue } from '../../web/src/words/catalogue.ts';
import { texts } from '../../web/src/words/texts.ts';
import { repositoryFolder } from '../stack/repository.ts';

/** A text of the pages or the console; `key` is its place in the catalogue. */
export type PageText = { readonly key: string; readonly en: string; readonly de: string };

const isPair = (value: unknown): value is readonly [string, string] => Array.isArray(value) && value.length === 2;

function pairsOf(words: unknown, prefix = ''): readonly PageText[] {
  return Object.entries(Object(words)).flatMap(([key, value]) =>
    isPair(value) ? [{ key: `${prefix}${key}`, en: value[0], de: value[1] }] : [],
  );
}

/** What the hosted pages say, and what the console says besides. */
export function pageTexts(): { readonly pages: readonly PageText[]; readonly console: readonly PageText[] } {
  const pages = pairsOf(texts);
  const keys = new Set(pages.map(({ key }) => key));
  const words = [...Object.entries(audit), ...Object.entries(sentences), ...Object.entries(builtIn)];
  const names = words.filter(([name]) => name !== 'auditTexts');
  return {
    pages,
    console: [
      ...pairsOf(catalogue).filter(({ key }) => !keys.has(key)),
      ...names.flatMap(([name, words]) => (isPair(words) ? pairsOf({ [name]: words }) : pairsOf(words, `${name}.`))),
      ...conditionReasons().map((text) => ({ ...text, key: `reason.${text.en}` })),
    ],
  };
}

const literal = String.raw`('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\`)`;

/** The values of a template are numbered: `{1}`. */
function textOf(quoted: string): string {
  let count = 0;
  return quoted
    .slice(1, -1)
    .replace(/\$\{[^}]*\}/g, () => `{${++count}}`)
    .replace(/\\(.)/g, '$1');
}

function pairsIn(files: readonly string[], pattern: RegExp) {
  const sources = files.map((file) => readFileSync(join(repositoryFolder, file), 'utf8'));
  return sources.flatMap((source) =>
    [...source.matchAll(pattern)].map(([, one = '', other = '']) => ({ en: textOf(one), de: textOf(other) })),
  );
}

function conditionReasons() {
  const pattern = new RegExp(String.raw`MalformedCondition\(\s*${literal},\s*${literal}`, 'g');
  return pairsIn(['packages/rules/src/condition/condition.ts'], pattern);
}

/** Errors and their reasons, wherever a service declares them. */
function serverTexts(): readonly string[] {
  const files = globSync('{kernel,server,services}/**/src/**/*.ts', {
    cwd: repositoryFolder,
    exclude: (path) => /node_modules|generated|\.test\.ts$|\/testing$/.test(path),
  });
  const declared = pairsIn(files.toSorted(), new RegExp(String.raw`\ben:\s*${literal},\s*de:\s*${literal}`, 'g'));
  return [...declared.map((text) => text.en), ...validatorReasons];
}

/** What the validator of inputs says by itself (typebox/system, en_US). */
const validatorReasons: readonly string[] = [
  'must be string',
  'must be number',
  'must be integer',
  'must be boolean',
  'must be object',
  'must be array',
  'must be null',
  'must be either {1}',
  'must not have more than {1} items',
  'must not have fewer than {1} items',
  'must not have more than {1} characters',
  'must not have fewer than {1} characters',
  'must not have more than {1} properties',
  'must not have fewer than {1} properties',
  'must be multiple of {1}',
  'must match format "{1}"',
  'must match pattern "{1}"',
  'must not have duplicate items',
  'must match a schema in anyOf',
  'must match exactly one schema in oneOf',
  'must not be valid',
  'schema is false',
];

function textsWithin(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsWithin) : [];
}

/** Every English text that people read: of pages, console, mails and errors. */
export function messages(): readonly string[] {
  const { pages, console } = pageTexts();
  return [...new Set([...pages, ...console].map((text) => text.en).concat(textsWithin(en), serverTexts()))].filter((text) =>
    /\p{L}/u.test(text.replace(/\{\w+\}/g, '')),
  );
}
