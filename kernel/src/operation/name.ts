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

/** The reasons of `validate`, by their English text: TypeBox keeps one text per refinement. */
export const nameFaults: ReadonlyMap<string, Text> = new Map(Object.values(faults).map((fault) => [fault.en, fault]));

/** What is wrong with the characters of a name. Its length is the schema's. */
export function faultOfName(value: string): Text | undefined {
  if (printableAscii.test(value)) return undefined;
  if (value !== value.normalize('NFC')) return faults.form;
  if (invisible.test(value.replace(needed, ''))) return faults.invisible;
  return stacked.test(value) ? faults.stacked : undefined;
}

function faultOfText(value: string): Text | undefined {
  return faultOfName(value.replace(lineBreaks, ' '));
}

/** As many whole graphemes as fit into a number of code points, as JSON Schema counts. */
export function cutText(text: string, maxLength: number): string {
  let [cut, length] = ['', 0];
  for (const { segment } of graphemes.segment(text)) {
    length += [...segment].length;
    if (length > maxLength) break;
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

const isName = (value: string): boolean => faultOfName(value) === undefined;
const isText = (value: string): boolean => faultOfText(value) === undefined;
const messageOf = (fault: Text | undefined): string => fault?.en ?? '';

/**
 * One line that people write and other people read: a name, in pages, mails, tables and terminals.
 * `maxLength` counts code points, as JSON Schema does.
 */
export function NameOf(maxLength: number, pattern = '\\S') {
  const text = Type.String({ minLength: 1, maxLength, pattern });
  return Type.Refine(text, isName, (value) => messageOf(faultOfName(value)));
}

/** One line that may be empty. */
export function LineOf(maxLength: number) {
  return Type.Refine(Type.String({ maxLength }), isName, (value) => messageOf(faultOfName(value)));
}

/** Several lines, with the same rule for each. */
export function TextOf(maxLength: number) {
  return Type.Refine(Type.String({ maxLength }), isText, (value) => messageOf(faultOfText(value)));
}

export const Name = NameOf(255);

/** Whether a schema refuses what `NameOf` or `TextOf` refuses. */
export function isNameSchema(schema: object): boolean {
  const refinements: unknown = Reflect.get(schema, '~refine');
  return Array.isArray(refinements) && refinements.some(({ check }) => check === isName || check === isText);
}
