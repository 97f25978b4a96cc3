import { languages, translationsOf } from '@tessera/kernel/errors';
import { messages } from './messages.ts';

export type Gaps = {
  readonly language: string;
  /** English texts that the file lacks; people read them in English. */
  readonly lacking: readonly string[];
  /** What the file translates and nothing says any more. */
  readonly unused: readonly string[];
  /** Translations whose values are not those of the English text. */
  readonly wrong: readonly string[];
};

const valuesOf = (text: string) =>
  [...text.matchAll(/\{\w+\}/g)]
    .map(([value]) => value)
    .toSorted()
    .join();

export function gapsOf(language: string, texts: Readonly<Record<string, string>>, said: readonly string[]): Gaps {
  const known = new Set(said);
  const entries = Object.entries(texts);
  return {
    language,
    lacking: said.filter((text) => !Object.hasOwn(texts, text)),
    unused: entries.map(([english]) => english).filter((english) => !known.has(english)),
    wrong: entries
      .filter(([english, translated]) => translated === '' || valuesOf(english) !== valuesOf(translated))
      .map(([english]) => english),
  };
}

/** A language of which more than this part lacks is not one that people can be offered. */
const mostLacking = 0.1;

export function faultsOf({ language, lacking, wrong }: Gaps, all: number): readonly string[] {
  const isThin = lacking.length > all * mostLacking;
  return [
    ...wrong.map((text) => `${language}: the values differ from those of: ${text}`),
    ...(isThin ? [`${language} lacks ${lacking.length} of ${all} texts: npm run languages names them`] : []),
  ];
}

/** Of every language that is a file. */
export function allGaps(): { readonly all: number; readonly gaps: readonly Gaps[] } {
  const said = messages();
  const files = languages.filter((language) => Object.keys(translationsOf(language)).length > 0);
  return { all: said.length, gaps: files.map((language) => gapsOf(language, translationsOf(language), said)) };
}
