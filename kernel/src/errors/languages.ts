import { readdirSync, readFileSync } from 'node:fs';

/**
 * The languages of this installation. English and German are written where a text is; each other
 * one is a file of translations, by the English text. Adding the file adds the language.
 */
type Translations = { readonly name: string; readonly texts: Readonly<Record<string, string>> };

const folder = new URL('../../languages/', import.meta.url);

const files: ReadonlyMap<string, Translations> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]),
);

/** Each language by its code, with its own name. */
export const languageNames: Readonly<Record<string, string>> = Object.fromEntries([
  ['en', 'English'],
  ['de', 'Deutsch'],
  ...[...files].map(([code, { name }]) => [code, name]),
]);
export const languages: readonly string[] = Object.keys(languageNames);
export type Language = string;

/** With all texts of a language whose texts are a file. */
export function translationsOf(language: Language): Readonly<Record<string, string>> {
  return files.get(language)?.texts ?? {};
}

/**
 * An English text in another language; undefined where the file lacks it. Values may be filled in
 * already: then the text is found by what stands around them.
 */
export function translationOf(english: string, language: Language): string | undefined {
  const texts = files.get(language)?.texts;
  if (texts === undefined) return undefined;
  if (Object.hasOwn(texts, english)) return texts[english];
  for (const [template, translated] of withValues(language, texts)) {
    const values = valuesIn(english, template);
    if (values !== undefined) return translated.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
  }
  return undefined;
}

/** What stands before the first value, then each value's name and what follows it. */
type Template = { readonly head: string; readonly values: readonly { readonly name: string; readonly after: string }[] };
const templates = new Map<Language, readonly (readonly [Template, string])[]>();

/**
 * Only reasons are filled before they are translated; their values are numbered: `{1}`. The longest
 * one is the most exact.
 */
function withValues(language: Language, texts: Translations['texts']): readonly (readonly [Template, string])[] {
  const known = templates.get(language);
  if (known !== undefined) return known;
  const made = Object.entries(texts)
    .filter(([english]) => english.includes('{1}'))
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([english, translated]) => [partsOf(english), translated] as const);
  templates.set(language, made);
  return made;
}

function partsOf(english: string): Template {
  const [head = '', ...parts] = english.split(/\{(\d+)\}/);
  return { head, values: parts.flatMap((name, index) => (index % 2 === 0 ? [{ name, after: parts[index + 1] ?? '' }] : [])) };
}

/** Without regular expressions: a value is anything, and this takes linear time. */
function valuesIn(text: string, { head, values: parts }: Template): ReadonlyMap<string, string> | undefined {
  if (!text.startsWith(head)) return undefined;
  const values = new Map<string, string>();
  let at = head.length;
  for (const [index, { name, after }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const end = isLast ? text.length - after.length : text.indexOf(after, at);
    if (end < at || !text.startsWith(after, end)) return undefined;
    values.set(name, text.slice(at, end));
    at = end + after.length;
  }
  return at === text.length ? values : undefined;
}
