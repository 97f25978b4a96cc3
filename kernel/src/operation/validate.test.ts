import { expect, test } from '@jest/globals';
import Type, { type TSchema } from 'typebox';
import { asAppError, type Language, renderError } from '../errors/index.ts';
import { Name, NameOf, TextOf } from './name.ts';
import { Id, Nullable } from './page.ts';
import { validate } from './validate.ts';

const name = Type.Object({ name: Type.String() }, { additionalProperties: false });

/** A value that each keyword of a schema refuses. */
const refused: Readonly<Record<string, readonly [TSchema, unknown]>> = {
  'a missing key': [name, {}],
  'an unknown key': [name, { name: 'a', other: 1 }],
  'a wrong type': [Type.String(), 5],
  'one of several types': [Type.Union([Type.String(), Type.Null()]), 5],
  'a wrong value': [Type.Enum(['a', 'b']), 'c'],
  'a wrong constant': [Type.Literal('a'), 'c'],
  'a short text': [Type.String({ minLength: 2 }), 'a'],
  'a long text': [Type.String({ maxLength: 2 }), 'abc'],
  'a pattern': [Type.String({ pattern: '^a' }), 'b'],
  'no id': [Id, 'nope'],
  'a blank name': [Name, '  '],
  'a name with a line break': [Name, 'Acme\r\nBcc: x'],
  'a name that turns the direction': [Name, 'Acme\u202e'],
  'a name of loose marks': [Name, 'e\u0301'],
  'a name under a heap of marks': [Name, `x${'\u0300'.repeat(9)}`],
  'a name that is too long': [Name, 'a'.repeat(256)],
  'a text with an escape': [TextOf(100), 'a\n\u001b[2J'],
  'a format': [Type.String({ format: 'uuid' }), 'b'],
  'a small number': [Type.Integer({ minimum: 1 }), 0],
  'a large number': [Type.Integer({ maximum: 1 }), 2],
  'a number at its limit': [Type.Number({ exclusiveMaximum: 1, exclusiveMinimum: 0 }), 1],
  'a fraction': [Type.Number({ multipleOf: 2 }), 1],
  'few items': [Type.Array(Type.String(), { minItems: 1 }), []],
  'many items': [Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b']],
  'equal items': [Type.Array(Type.String(), { uniqueItems: true }), ['a', 'a']],
  'few properties': [Type.Record(Type.String(), Type.String(), { minProperties: 1 }), {}],
  'many properties': [Type.Record(Type.String(), Type.String(), { maxProperties: 0 }), { a: 'a' }],
  'a large integer': [Type.Unknown(), JSON.parse('{ "n": 9007199254740993 }')],
  'a number that overflows': [Type.Unknown(), JSON.parse('[1e400]')],
  'the name of a prototype': [Type.Unknown(), JSON.parse('{ "a": { "__proto__": 1 } }')],
  'a NUL character': [Type.String(), '\0'],
  'broken Unicode': [Type.String(), '\ud800'],
  'deep nesting': [Type.Unknown(), Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1)],
};

function refusalOf([schema, value]: readonly [TSchema, unknown], language: Language) {
  try {
    validate(schema, value);
  } catch (thrown) {
    return renderError(asAppError(thrown), language).body;
  }
  throw new Error('the value was accepted');
}

for (const [what, refusal] of Object.entries(refused)) {
  test(`the reason for ${what} is in the language of the message`, () => {
    const [english, german] = [refusalOf(refusal, 'en'), refusalOf(refusal, 'de')];
    expect(english.error).toMatch(/^The field \S+ (?:is|must|has|may|contains|cannot) \S/);
    expect(german.error).toMatch(/^Das Feld \S+ (?:ist|wird|muss|hat|darf|enthält|kann|liegt) \S/);
    const [said, gesagt] = [String(english.extensions?.reason), String(german.extensions?.reason)];
    expect(english.error).toContain(said);
    expect(german.error).toContain(gesagt);
    expect(german.translationParams).toEqual(german.extensions);
    expect(said).toMatch(/\b(must|is|contains)\b/);
    expect(gesagt).not.toMatch(/\b(must|is|not|have|the|be|of|match|contains|object)\b/);
  });
}

test('an id and a name are described in words, without their patterns', () => {
  expect(refusalOf([Id, 'nope'], 'en').error).toContain('must be a UUID in lower case');
  expect(refusalOf([Name, ' '], 'de').error).toContain('darf nicht leer sein');
});

test('a wrong value is answered with the allowed ones, and German names no type of JSON', () => {
  const colors = Type.Object({
    color: Type.Enum(['red', 'blue']),
    kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  });
  const said = (value: unknown, language: Language) => refusalOf([colors, value], language).error;
  expect(said({ color: 'green' }, 'en')).toContain('must be one of red, blue');
  expect(said({ color: 'green' }, 'de')).toContain('muss eines von red, blue sein');
  expect(said({ color: 'red', kind: 'c' }, 'en')).toContain('must be one of a, b');
  for (const [schema, value, words] of [
    [Type.String(), 5, 'muss ein Text sein'],
    [Type.Integer(), 'x', 'muss eine ganze Zahl sein'],
    [Type.Boolean(), 'x', 'muss true oder false sein'],
    [Type.Array(Type.String()), 'x', 'muss eine Liste sein'],
  ] as const)
    expect(refusalOf([schema, value], 'de').error).toContain(words);
});

test.each(['x'.repeat(51), 'x'.repeat(1_000_000), '👩‍👩‍👧'.repeat(20), '\u202e'.repeat(400)])(
  'a name that is too long is refused with its limits',
  (text) => {
    expect(refusalOf([Type.Object({ names: Type.Array(Nullable(NameOf(50))) }), { names: [text] }], 'en').extensions?.reason).toBe(
      'must not have more than 50 characters, or 200 bytes in UTF-8',
    );
  },
);
