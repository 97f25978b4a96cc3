import { languageNames, languages, translationOf } from '@tessera/kernel/errors';
import { type PageText, pageTexts } from '../languages/messages.ts';
import type { GeneratedFile, Step } from './step.ts';

const folder = 'web/src/words/generated';

function textIn({ en, de }: PageText, language: string): string {
  return { en, de }[language] ?? translationOf(en, language) ?? en;
}

function words(part: string, texts: readonly PageText[], language: string): GeneratedFile {
  const lines = texts.map((text) => `  ${JSON.stringify(text.key)}: ${JSON.stringify(textIn(text, language))},`);
  const content = `export const words: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`;
  return { path: `${folder}/${part}.${language}.ts`, content };
}

/** English goes along with the page; each other language is a file that only its readers load. */
function part(name: string, texts: readonly PageText[]): readonly GeneratedFile[] {
  const loads = languages
    .filter((language) => language !== 'en')
    .map((language) => `    ${language}: async () => (await import('./${name}.${language}.ts')).words,`);
  const content = `import { words } from './${name}.en.ts';

export const ${name}Words = {
  english: words,
  load: {
${loads.join('\n')}
  },
};
`;
  return [{ path: `${folder}/${name}.ts`, content }, ...languages.map((language) => words(name, texts, language))];
}

/** The words of pages and console, one file for each language. */
export const pageWords: Step = {
  name: 'words of the pages',
  make: async () => {
    const { pages, console } = pageTexts();
    const names = `export const languages = ${JSON.stringify(languageNames)} as const;\n`;
    return [{ path: `${folder}/languages.ts`, content: names }, ...part('pages', pages), ...part('console', console)];
  },
};
