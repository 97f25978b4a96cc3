import type { Key } from '../../words/catalogue.ts';
import { useWords } from '../../words/language.tsx';
import { textOf } from '../../words/spoken.ts';

export type { Key };

/** The texts of the console and of the pages, and dates as the language writes them. */
export function useTexts() {
  const { language } = useWords();
  const t = (key: Key, values?: Readonly<Record<string, string>>) => textOf(key, values);
  const when = (at: string | null | undefined) =>
    at ? new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' }) : '–';
  const day = (at: string | null | undefined) => (at ? new Date(at).toLocaleDateString(language, { dateStyle: 'medium' }) : '–');
  const count = (value: number) => value.toLocaleString(language);
  return { t, when, day, count, language };
}
