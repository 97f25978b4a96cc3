import { words } from './console.en.ts';

export const consoleWords = {
  english: words,
  load: {
    de: async () => (await import('./console.de.ts')).words,
    es: async () => (await import('./console.es.ts')).words,
    fr: async () => (await import('./console.fr.ts')).words,
  },
};
