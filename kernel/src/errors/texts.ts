import { type Language, languages, translationOf } from './languages.ts';

/** The languages that are written where a text is; the others are files of translations. */
export type Text = { readonly en: string; readonly de: string };

/**
 * Parameters of a text, as `{name}`; one that is a text itself is shown in the same language. Never
 * a secret or a rejected secret value.
 */
export type ErrorParams = Readonly<Record<string, string | number | Text>>;

const texts = new Map<string, Text>();

/** Registers the text of a key. The same key with another text throws. */
export function registerText(key: string, text: Text): void {
  const known = texts.get(key);
  if (known && (known.en !== text.en || known.de !== text.de)) throw new Error(`two texts for ${key}`);
  texts.set(key, text);
}

export function registeredTexts(): ReadonlyMap<string, Text> {
  return texts;
}

export function translate(key: string, language: Language, params?: ErrorParams): string {
  const text = texts.get(key) ?? texts.get('errors.internal');
  return (text === undefined ? 'Error' : textIn(text, language)).replace(/\{(\w+)\}/g, (_, name: string) =>
    String(inLanguage(params?.[name] ?? '', language)),
  );
}

function textIn(text: Text, language: Language): string {
  const written = Object.entries(text).find(([name]) => name === language)?.[1];
  return written ?? translationOf(text.en, language) ?? text.en;
}

function inLanguage(value: unknown, language: Language): unknown {
  return isText(value) ? textIn(value, language) : value;
}

function isText(value: unknown): value is Text {
  return typeof value === 'object' && value !== null && 'en' in value && 'de' in value;
}

/** Parameters or extensions, with the texts among them in one language. */
export function localize(values: Readonly<Record<string, unknown>>, language: Language): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inLanguage(value, language)]));
}

/** The best supported language of Accept-Language (RFC 9110 12.5.4), else English. */
export function chooseLanguage(header = ''): Language {
  if (header === '') return 'en';
  const wanted = Array.from(header.slice(0, 200).toLowerCase().split(','), (range) => {
    const [tag = '', ...parameters] = range.trim().split(';');
    const [quality = 1] = parameters.flatMap((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1] ?? []);
    const language = tag === '*' ? 'en' : languages.find((known) => tag === known || tag.startsWith(`${known}-`));
    return { language, weight: language === undefined ? 0 : Number(quality) };
  });
  const [best] = wanted.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return best?.language ?? 'en';
}
