export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
export type Text = Readonly<Record<Language, string>>;

/**
 * Parameters of a text, as `{name}`; one that is a text itself is shown in the same language. Never
 * a secret or a rejected secret value.
 */
export type ErrorParams = Readonly<Record<string, string | number | Text>>;

const texts = new Map<string, Text>();

/** Registers the text of a key. The same key with another text throws. */
export function registerText(key: string, text: Text): void {
  const known = texts.get(key);
  if (known && languages.some((language) => known[language] !== text[language])) throw new Error(`two texts for ${key}`);
  texts.set(key, text);
}

export function registeredTexts(): ReadonlyMap<string, Text> {
  return texts;
}

export function translate(key: string, language: Language, params?: ErrorParams): string {
  const text = texts.get(key) ?? texts.get('errors.internal');
  return (text?.[language] ?? 'Error').replace(/\{(\w+)\}/g, (_, name: string) => String(inLanguage(params?.[name] ?? '', language)));
}

function inLanguage(value: unknown, language: Language): unknown {
  return typeof value === 'object' && value !== null && language in value ? Object(value)[language] : value;
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
