import Type from 'typebox';
import type { Text } from '../errors/index.ts';

/** Scripts whose words are written with joiners (Unicode Standard, section 23.2). */
const joined = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mongolian',
  'Myanmar',
  'Nko',
  'Oriya',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
  'Tibetan',
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

/** Invisible characters that are part of what stands before them; every other one is refused. */
const needed = new RegExp(
  [
    // A zero-width joiner or non-joiner between letters of a script that needs it.
    `(?<=[${joined}])[\\u200C\\u200D](?=[${joined}])`,
    // Emoji of several parts: a family, a flag of a region.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
    '(?<=\\u{1F3F4})[\\u{E0061}-\\u{E007A}\\u{E0030}-\\u{E0039}]{1,6}\\u{E007F}',
    // Variation selectors of emoji and symbols, of Han and of Mongolian.
    '(?<=[\\p{Emoji}\\p{S}\\p{Script=Han}])[\\uFE00-\\uFE0F]',
    '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
    '(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]',
    // Signs of Arabic and Syriac that stand before a number. They are seen.
    '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2]',
  ].join('|'),
  'gu',
);
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const printableAscii = /^[ -~]*$/;
const lineBreaks = /[\n\r\t]/g;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More marks on one letter than any script writes: they cover the lines around them. */
const stacked = /\p{M}{9,}/u;

const faults = {
  form: { en: 'must be in Unicode normalization form C (NFC)', de: 'muss in der Unicode-Normalform C (NFC) stehen' },
  invisible: {
    en: 'contains a line break, or a control, direction or other invisible character; remove it',
    de: 'enthält einen Zeilenumbruch, ein Steuer- oder Richtungszeichen oder ein anderes unsichtbares Zeichen; entfernen Sie es',
  },
  stacked: { en: 'contains too many combining marks on one letter', de: 'enthält zu viele Akzente auf einem Buchstaben' },
} satisfies Readonly<Record<string, Text>>;

const byText = new Map<string, Text>(Object.values(faults).map((fault) => [fault.en, fault]));
/** The reasons of `validate`, by their English text: TypeBox keeps one text per refinement. */
export const nameFaults: ReadonlyMap<string, Text> = byText;

/** More code points than any letter or emoji has: a grapheme that is longer counts as several. */
const longestGrapheme = 10;
/** As many bytes as the longest text of this many code points has. */
const bytesPerCharacter = 4;

/** The parts of a text that a reader takes for one character each, and as how many each counts. */
function* charactersOf(text: string): Generator<{ readonly segment: string; readonly count: number }> {
  for (const { segment } of graphemes.segment(text)) yield { segment, count: Math.ceil([...segment].length / longestGrapheme) };
}

/**
 * Whether a text has more characters, as readers count them, or more bytes. Only a text that has
 * more UTF-16 units than that is cut into graphemes, and none that is too long for its bytes.
 */
function isTooLong(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  if (text.length > maxLength * bytesPerCharacter || Buffer.byteLength(text) > maxLength * bytesPerCharacter) return true;
  let length = 0;
  for (const { count } of charactersOf(text)) {
    length += count;
    if (length > maxLength) return true;
  }
  return false;
}

function tooLong(maxLength: number): Text {
  const bytes = maxLength * bytesPerCharacter;
  const fault = {
    en: `must not have more than ${maxLength} characters, or ${bytes} bytes in UTF-8`,
    de: `darf nicht mehr als ${maxLength} Zeichen oder ${bytes} Byte in UTF-8 haben`,
  };
  byText.set(fault.en, fault);
  return fault;
}

/** What is wrong with the characters of a name. */
export function faultOfName(value: string): Text | undefined {
  if (printableAscii.test(value)) return undefined;
  if (value !== value.normalize('NFC')) return faults.form;
  if (invisible.test(value.replace(needed, ''))) return faults.invisible;
  return stacked.test(value) ? faults.stacked : undefined;
}

function faultOfText(value: string): Text | undefined {
  return faultOfName(value.replace(lineBreaks, ' '));
}

/** As many whole characters of a text as a name of this length may have. */
export function cutText(text: string, maxLength: number): string {
  let [cut, length] = ['', 0];
  for (const { segment, count } of charactersOf(text)) {
    length += count;
    if (length > maxLength || Buffer.byteLength(cut + segment) > maxLength * bytesPerCharacter) break;
    cut += segment;
  }
  return cut;
}

/** A foreign name, from a provider or the part of an address, as a name that is allowed here. */
export function toName(text: string, maxLength: number): string {
  const line = text.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ');
  const kept = faultOfName(line) === undefined ? line : [...line].filter((character) => faultOfName(character) === undefined).join('');
  const name = cutText(
    kept
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFC')
      .trim(),
    maxLength,
  ).trim();
  // What was left out between two characters may let them form another.
  return faultOfName(name) === undefined ? name : '';
}

type Options = { readonly minLength?: number; readonly pattern?: string };
/** What is too long, by the refinement: it stays when a schema is copied. */
const checks = new WeakMap<object, Text>();

/**
 * `maxLength` counts characters as readers do. JSON Schema counts code points: its bound is as many
 * as fit into the bytes. An error names the first.
 */
function textOf(maxLength: number, faultOf: (value: string) => Text | undefined, options: Options = {}) {
  const length = tooLong(maxLength);
  const faultIn = (value: unknown) => {
    // What is no text has failed by its type.
    if (typeof value !== 'string') return undefined;
    return isTooLong(value, maxLength) ? length : faultOf(value);
  };
  const check = (value: unknown) => faultIn(value) === undefined;
  checks.set(check, length);
  const description = `At most ${maxLength} characters, as readers count them, and ${maxLength * bytesPerCharacter} bytes in UTF-8`;
  const text = Type.String({ ...options, maxLength: maxLength * bytesPerCharacter, description });
  return Type.Refine(text, check, (value) => faultIn(value)?.en ?? '');
}

/**
 * One line that people write and other people read: a name, in pages, mails, tables and terminals.
 */
export function NameOf(maxLength: number, pattern = '\\S') {
  return textOf(maxLength, faultOfName, { minLength: 1, pattern });
}

/** One line that may be empty. */
export function LineOf(maxLength: number) {
  return textOf(maxLength, faultOfName);
}

/** Several lines, with the same rule for each. */
export function TextOf(maxLength: number) {
  return textOf(maxLength, faultOfText);
}

export const Name = NameOf(255);

function lengthsOf(schema: unknown): Text[] {
  const refinements: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, '~refine') : undefined;
  return Array.isArray(refinements) ? refinements.flatMap(({ check }) => checks.get(check) ?? []) : [];
}

/** Whether a schema refuses what `NameOf` or `TextOf` refuses. */
export function isNameSchema(schema: object): boolean {
  return lengthsOf(schema).length > 0;
}

/** What is too long for a schema of `NameOf` or `TextOf`. */
export function tooLongFor(schema: unknown): Text | undefined {
  return lengthsOf(schema)[0];
}
