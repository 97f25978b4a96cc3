import { auditTexts } from '../../words/audit.ts';
import { consoleTexts } from '../../words/console.ts';
import { decisionTexts } from '../../words/decisions.ts';
import { firstRunTexts } from '../../words/first-run.ts';
import { inLanguage, useWords } from '../../words/language.tsx';
import { pictureTexts } from '../../words/pictures.ts';
import { texts } from '../../words/texts.ts';

const catalogue = { ...texts, ...consoleTexts, ...auditTexts, ...firstRunTexts, ...pictureTexts, ...decisionTexts };
export type Key = keyof typeof catalogue;

/** The texts of the console and of the pages, and dates as the language writes them. */
export function useTexts() {
  const { language } = useWords();
  const t = (key: Key, values?: Readonly<Record<string, string>>) => inLanguage(catalogue[key], values, language);
  const when = (at: string | null | undefined) =>
    at ? new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' }) : '–';
  const day = (at: string | null | undefined) => (at ? new Date(at).toLocaleDateString(language, { dateStyle: 'medium' }) : '–');
  const count = (value: number) => value.toLocaleString(language);
  return { t, when, day, count, language };
}
