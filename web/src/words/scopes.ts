import { hasText } from './spoken.ts';
import type { TextKey } from './texts.ts';

/** The standard scopes in words; others have the words of their project. */
export function wordsOfScope(scope: string, t: (key: TextKey) => string): string | undefined {
  const key = `scope_${scope}`;
  return hasText(key) ? t(key as TextKey) : undefined;
}
