/** Every name that people write keeps one rule about characters, whichever operation takes it. */

import { describe, expect, test } from '@jest/globals';
import { isNameSchema, LineOf, Name, NameOf, Nullable, strict, TextOf, toName, validatorOf } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operations as identity } from '../../../services/identity/src/operations/index.ts';
import { operations as keys } from '../../../services/keys/src/operations/index.ts';
import { operations as rbac } from '../../../services/rbac/src/operations/index.ts';
import { operations as tenancy } from '../../../services/tenancy/src/operations/index.ts';

const operations = [...identity, ...tenancy, ...rbac, ...keys];
const looksLikeName = /^(?:name|title|label|description|reason|slug|displayName|.+Name)$/;
/** Fields that are called like names and are none. Each has its reason. */
const exempt: Readonly<Record<string, string>> = {
  'importUsers.name': 'each row of the file is checked by itself, with the same type (import-row.ts)',
};

/** The schemas in a schema: of the items of a list and the branches of a union too. */
function fieldsIn(schema: unknown): [string, object][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.entries(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(fieldsIn)];
}

function keepsRule(schema: object): boolean {
  if (isNameSchema(schema) || 'enum' in schema || 'const' in schema) return true;
  const branches: unknown = Reflect.get(schema, 'anyOf');
  const ofText = Array.isArray(branches) ? branches.filter(({ type }) => type !== 'null') : [];
  return ofText.length > 0 && ofText.every(keepsRule);
}

function unruled(list: readonly { readonly name: string; readonly input: unknown }[]): string[] {
  return list.flatMap(({ name, input }) =>
    fieldsIn(input)
      .filter(([field, schema]) => looksLikeName.test(field) && !keepsRule(schema))
      .map(([field]) => `${name}.${field}`),
  );
}

describe('the names that operations take', () => {
  test('every field of an input that looks like a name has the type of names, or a reason', () => {
    expect(unruled(operations)).toStrictEqual(Object.keys(exempt));
    const ruled = operations.flatMap(({ input }) => fieldsIn(input)).filter(([field]) => looksLikeName.test(field));
    expect(ruled.length).toBeGreaterThan(30);
  });

  test('a name of another type is found, in a list and in a union too', () => {
    const input = strict({ items: Type.Array(strict({ displayName: Type.String() })), description: Nullable(Type.String()), name: Name });
    expect(unruled([{ name: 'forget', input }])).toStrictEqual(['forget.description', 'forget.displayName']);
  });
});

const names = validatorOf(Name);
const allowed = ['Ada Lovelace', 'Jürgen 😀', 'می‌خواهم', 'क्‍ष', '👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️', '1️⃣', '葛󠄀', "O'Brien & Søn <Ltd.>", 'שלום', 'Việt'];
const refused = {
  'a line break': 'a\nb',
  'a carriage return': 'a\rb',
  'an escape': '\u001b[31mred',
  'a control of C1': 'a\u009b2J',
  'a line separator': 'a\u2028b',
  'an override of direction': 'a\u202eb',
  'an isolate of direction': 'a\u2067b',
  'a mark of direction': 'a\u200fb',
  'a zero-width space': 'a\u200bb',
  'a byte order mark': '\ufeffa',
  'a joiner in Latin': 'a\u200db',
  'a soft hyphen': 'a\u00adb',
  'a filler that looks empty': '\u3164',
  'a blank braille pattern': '\u2800',
  'a variation selector after a letter': 'a\ufe0f',
  'hidden tags after a letter': 'a\u{E0061}\u{E007F}',
  'a decomposed letter': 'e\u0301',
  'a heap of marks': `x${'\u0300'.repeat(9)}`,
  blanks: '   ',
  nothing: '',
};

describe('a name', () => {
  test.each(allowed)('%s is allowed', (name) => expect(names.Check(name)).toBe(true));

  test.each(Object.entries(refused))('with %s is refused', (_, name) => expect(names.Check(name)).toBe(false));

  test('is as long as readers count it: a letter of several code points is one', () => {
    const [family, syllable, kiss] = ['👩‍👩‍👧', 'क्षि', '👩🏽‍❤️‍💋‍👨🏿'];
    const short = validatorOf(NameOf(20));
    expect([short.Check('x'.repeat(20)), short.Check('x'.repeat(21))]).toStrictEqual([true, false]);
    expect([short.Check('é'.repeat(20)), short.Check('é'.repeat(21))]).toStrictEqual([true, false]);
    // 20 letters with a dot below and a horn in their own code points, where NFC has none for both.
    expect([short.Check('x\u0323'.repeat(20)), short.Check('x\u0323'.repeat(21))]).toStrictEqual([true, false]);
    // More code points than 20, as many as fit into 80 bytes.
    for (const [letter, count] of [
      [family, 4],
      [syllable, 6],
      [kiss, 2],
    ] as const) {
      expect([...letter.repeat(count)].length).toBeGreaterThan(19);
      expect([short.Check(letter.repeat(count)), short.Check(letter.repeat(count + 1))]).toStrictEqual([true, false]);
    }
  });

  test('has no huge character: one of more than ten code points counts as several', () => {
    const short = validatorOf(NameOf(3));
    // Leading consonants of Hangul form one grapheme, and so do signs before a number.
    const chain = (length: number) => '\u1100'.repeat(length);
    expect([short.Check(chain(4)), short.Check(chain(5))]).toStrictEqual([true, false]);
    const ascii = validatorOf(NameOf(30));
    expect([...new Intl.Segmenter('en').segment('\u0600'.repeat(60))]).toHaveLength(1);
    expect([ascii.Check('\u0600'.repeat(60)), ascii.Check('\u0600'.repeat(61))]).toStrictEqual([true, false]);
    expect(ascii.Check(`${'\u0600'.repeat(40)}${'x'.repeat(27)}`)).toBe(false);
  });

  test('of several lines keeps the rule in each, and a single line takes no break', () => {
    const [text, line] = [validatorOf(TextOf(50)), validatorOf(LineOf(50))];
    expect([text.Check('a\r\n\tb'), text.Check('a\n\u202eb'), line.Check(''), line.Check('a\nb')]).toStrictEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test('from elsewhere loses what no name may have, and is cut', () => {
    const foreign = ['Ada\u202e\r\nBcc: x', 'e\u0301', '👩‍👩‍👧', '\u200b\u2066', `z${'\u0300'.repeat(20)}`, 'x'.repeat(300)];
    const taken = foreign.map((name) => toName(name, 200));
    expect(taken.slice(0, 4)).toStrictEqual(['Ada Bcc: x', 'é', '👩‍👩‍👧', '']);
    expect(taken.filter((name) => name !== '').every((name) => names.Check(name))).toBe(true);
    expect(taken.at(-1)).toHaveLength(200);
    expect(toName('👩‍👩‍👧'.repeat(9), 12)).toBe('👩‍👩‍👧'.repeat(2));
  });
});
