import { languages } from './generated/languages.ts';
import { pagesWords } from './generated/pages.ts';
import type { TextKey } from './texts.ts';

export { languages };
export type Language = keyof typeof languages;
type Texts = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string>>;

/** The words of an entry: English at once, another language when a person reads it. */
export type Words = { readonly english: Texts; readonly load: Readonly<Record<string, () => Promise<Texts>>> };

const storedName = 'tessera-language';

/** The choice of the person, else the first language of the browser that there is. */
function preferred(): Language {
  const stored = readStored(storedName);
  const wanted = stored === null ? navigator.languages : [stored];
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

export function isLanguage(tag: unknown): tag is Language {
  return typeof tag === 'string' && Object.hasOwn(languages, tag);
}

/** A browser may refuse to keep anything. */
function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

let current: Language = preferred();
let parts: readonly Words[] = [pagesWords];
let texts: Texts = pagesWords.english;

/** For requests: the server's texts come in the language of the page. */
export function currentLanguage(): Language {
  return current;
}

/** Before anything is drawn. A page that cannot load its language is English. */
export async function startWords(more: readonly Words[]): Promise<void> {
  parts = [pagesWords, ...more];
  texts = await textsIn(current).catch(async () => {
    current = 'en';
    return await textsIn(current);
  });
}

/** Without its file a language cannot be shown: then nothing changes. */
export async function changeLanguage(chosen: Language): Promise<void> {
  const loaded = await textsIn(chosen);
  try {
    localStorage.setItem(storedName, chosen);
  } catch {
    // It holds until the page is left.
  }
  [current, texts] = [chosen, loaded];
}

async function textsIn(language: Language): Promise<Texts> {
  const loaded = await Promise.all(parts.map(({ english, load }) => load[language]?.() ?? english));
  return Object.fromEntries([...parts.map(({ english }) => english), ...loaded].flatMap((part) => Object.entries(part)));
}

export function hasText(key: string): boolean {
  return Object.hasOwn(texts, key);
}

/** One text in the language of the page, with its values filled in. */
export function textOf(key: string, values: Values = {}): string {
  return (texts[key] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

export function translate(key: TextKey, values?: Values): string {
  return textOf(key, values);
}
