import { describe, expect, test } from '@jest/globals';
import { defineOperation, Id, Nullable, type Operation, strict } from '@tessera/kernel/operation';
import Type, { type TSchema } from 'typebox';
import { databaseServices } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { graphqlOf, subgraphOf } from './graphql-operations.ts';
import { operationsOf } from './references.ts';

const types = 'enum Color { red green }\ntype Note { id: ID! }';

function noteWith(input: TSchema, output: TSchema = Type.Object({ id: Id })): Operation<never> {
  return defineOperation<never>()({
    name: 'createNote',
    summary: 'Write a note',
    kind: 'mutation',
    input,
    output,
    access: { permission: 'Note:Create' },
    scopes: ['organization'],
    verification: 'by-scope',
    errors: [],
    audit: 'note.created',
    events: [],
    leaves: 'nothing',
    rest: { method: 'POST', path: '/api/notes' },
    graphql: { field: 'createNote', type: 'Note' },
    handle: async () => ({ id: '' }),
  });
}

test('a deprecated operation says so in GraphQL, with what to use instead', () => {
  const deprecated = { since: '2026-01-01', sunset: '2026-07-31', instead: 'createText' };
  const text = graphqlOf([{ ...noteWith(strict({ id: Id })), deprecated }], types);
  expect(text).toContain('Note! @deprecated(reason: "Deprecated since 2026-01-01, may be gone from 2026-07-31 on: createText")\n');
});

const written = (input: TSchema) => graphqlOf([noteWith(input)], types);

describe('the input of an operation in GraphQL', () => {
  test('has the fields, types, nullability and descriptions of its schema', () => {
    const part = strict({ text: Type.String() }, { graphqlType: 'NotePartInput' });
    const text = written(
      strict({
        id: Id,
        name: Type.String({ description: 'as it is shown' }),
        size: Type.Optional(Type.Integer()),
        share: Type.Optional(Type.Number()),
        color: Nullable(Type.Enum(['green', 'red'])),
        parts: Type.Array(part),
        extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        relations: Type.Optional(Type.Array(Type.Enum(['tags']))),
      }),
    );
    const fields = ['id: ID!', '"As it is shown."', 'name: String!', 'size: Int', 'share: Float', 'color: Color'];
    const lines = [...fields, 'parts: [NotePartInput!]!', 'extra: JSON'].map((line) => `  ${line}\n`).join('');
    expect(text).toContain(`input CreateNoteInput {\n${lines}}\n\ninput NotePartInput {\n  text: String!\n}`);
    expect(text).toContain(
      '  "Write a note. Needs the permission `Note:Create` in the scope."\n  createNote(input: CreateNoteInput!): Note!',
    );
  });
  test('may be left out when no field is required, and is no argument when there is none', () => {
    expect(written(strict({ size: Type.Optional(Type.Integer()) }))).toContain('createNote(input: CreateNoteInput): Note!');
    expect(written(strict({}))).toContain('  createNote: Note!');
  });
  test('is null where the output may be null', () => {
    expect(graphqlOf([noteWith(strict({}), Nullable(Type.Object({ id: Id })))], types)).toContain('createNote: Note\n');
  });
  test('is refused when it is written by hand', () => {
    const fault = 'schema.graphql has the input CreateNoteInput: inputs are generated';
    expect(() => graphqlOf([], `${types}\ninput CreateNoteInput { id: ID! }`)).toThrow(fault);
    expect(() => graphqlOf([], `${types}\nextend input CreateNoteInput { id: ID! }`)).toThrow(fault);
  });
  test('is refused when an object has no name', () => {
    expect(() => written(strict({ part: strict({ text: Type.String() }) }))).toThrow('CreateNoteInput.part: give the schema a name');
  });
  test('is refused when no enumeration of the schema has its values', () => {
    expect(() => written(strict({ color: Type.Enum(['red']) }))).toThrow('CreateNoteInput.color: in schema.graphql no enumeration has');
  });
  test('is refused when two enumerations have its values', () => {
    const operation = noteWith(strict({ color: Type.Enum(['red', 'green']) }));
    expect(() => graphqlOf([operation], `${types}\nenum Light { green red }`)).toThrow('Color and Light have the values');
  });
  test('is refused when two schemas of one name differ', () => {
    const one = strict({ text: Type.String() }, { graphqlType: 'NotePartInput' });
    const other = strict({ size: Type.Integer() }, { graphqlType: 'NotePartInput' });
    expect(() => written(strict({ one, other }))).toThrow('two schemas are called NotePartInput');
  });
});

type Fields = { readonly properties?: Readonly<Record<string, TSchema>>; readonly items?: TSchema; readonly graphqlType?: string };

/** The schema once for each field below it, without that field. */
function mutationsOf(schema: TSchema, path: string): readonly { readonly path: string; readonly schema: TSchema }[] {
  const { properties = {}, items, graphqlType } = schema as Fields;
  // Free-form in GraphQL, or an input that is written by hand.
  if (graphqlType === 'JSON' || graphqlType === 'ScopeInput') return [];
  const inside =
    items === undefined
      ? []
      : mutationsOf(items, `${path}[]`).map((mutated) => ({ ...mutated, schema: { ...schema, items: mutated.schema } }));
  const own = Object.entries(properties).flatMap(([name, property]) => {
    if (name === 'relations') return [];
    const { [name]: _removed, ...others } = properties;
    const deeper = mutationsOf(property, `${path}.${name}`).map((mutated) => ({
      ...mutated,
      schema: { ...schema, properties: { ...properties, [name]: mutated.schema } },
    }));
    return [{ path: `${path}.${name}`, schema: { ...schema, properties: others } }, ...deeper];
  });
  return [...inside, ...own];
}

/** The schema, or why there is none: an input whose uses differ is refused. */
function outcome(operation: Operation<never>, sdl: string): string {
  try {
    return graphqlOf([operation], sdl);
  } catch (error) {
    return String(error);
  }
}

describe.each(databaseServices)('each field of an input of %s', (service) => {
  test('changes the generated schema when it is removed', async () => {
    const operations = await operationsOf(repositoryFolder, service);
    const { types: sdl } = await subgraphOf(repositoryFolder, service);
    let mutated = 0;
    const unnoticed = operations.flatMap((operation) => {
      if (!('field' in operation.graphql)) return [];
      const before = graphqlOf([operation], sdl);
      const mutations = mutationsOf(operation.input, operation.name);
      mutated += mutations.length;
      return mutations.filter(({ schema }) => outcome({ ...operation, input: schema }, sdl) === before).map(({ path }) => path);
    });
    expect(unnoticed).toStrictEqual([]);
    expect(mutated).toBeGreaterThan(operations.length);
  });
});
