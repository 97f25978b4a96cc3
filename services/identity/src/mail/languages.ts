import { languages } from '@tessera/kernel/errors';

/** For dates in a mail. English without a country would write the month first. */
export function localeOf(language: string): string {
  const known = languages.find((one) => one === language) ?? 'en';
  return known === 'en' ? 'en-GB' : known;
}
