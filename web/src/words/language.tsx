import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { changeLanguage, currentLanguage, type Language, translate } from './spoken.ts';
import type { TextKey } from './texts.ts';

type InWords = {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly t: (key: TextKey, values?: Readonly<Record<string, string>>) => string;
};

const WordsContext = createContext<InWords | undefined>(undefined);

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(currentLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = async (chosen: Language) => {
    await changeLanguage(chosen);
    setLanguage(chosen);
  };
  // The page stays as it is when the file of the language cannot be loaded.
  const tryToChoose = (chosen: Language) => void choose(chosen).catch(() => undefined);
  return <WordsContext value={{ language, setLanguage: tryToChoose, t: translate }}>{children}</WordsContext>;
}

export function useWords(): InWords {
  const words = useContext(WordsContext);
  if (words === undefined) throw new Error('WordsProvider is missing');
  return words;
}
