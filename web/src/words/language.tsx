import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { type TextKey, texts } from './texts.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;
type Values = Readonly<Record<string, string>>;

const storedName = 'tessera-language';

/** The choice of the person, else the first language of the browser that there is. */
function preferred(): Language {
  const stored = readStored(storedName);
  const wanted = stored === null ? navigator.languages : [stored];
  const found = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => Object.hasOwn(languages, tag));
  return found === 'de' ? 'de' : 'en';
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

/** For requests: the server's texts come in the language of the page. */
export function currentLanguage(): Language {
  return current;
}

/** One text of a catalogue in a language, with its values filled in. */
export function inLanguage(text: readonly [string, string], values: Values = {}, language: Language = current): string {
  return text[language === 'de' ? 1 : 0].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

export function translate(key: TextKey, values?: Values, language?: Language): string {
  return inLanguage(texts[key], values, language);
}

type Words = {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly t: (key: TextKey, values?: Values) => string;
};

const WordsContext = createContext<Words | undefined>(undefined);

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(current);
  current = language;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language) => {
    try {
      localStorage.setItem(storedName, chosen);
    } catch {
      // It holds until the page is left.
    }
    setLanguage(chosen);
  };
  const t: Words['t'] = (key, values) => translate(key, values, language);
  return <WordsContext value={{ language, setLanguage: choose, t }}>{children}</WordsContext>;
}

export function useWords(): Words {
  const words = useContext(WordsContext);
  if (words === undefined) throw new Error('WordsProvider is missing');
  return words;
}
