import { words } from './pages.en.ts';

export const pagesWords = {
  english: words,
  load: {
    de: async () => (await import('./pages.de.ts')).words,
    es: async () => (await import('./pages.es.ts')).words,
    fr: async () => (await import('./pages.fr.ts')).words,
  },
};
