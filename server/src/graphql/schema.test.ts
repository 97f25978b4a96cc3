import { describe, expect, test } from '@jest/globals';
import { defineOperation } from '@tessera/kernel/operation';
import { createNote, listNotes, type NoteDeps, operations, readers, sdl } from '../testing/notes.ts';
import { buildSubgraph, relationField } from './index.ts';

const types = { Note: { readers: relationField('Note.readers', readers) } };

describe('a subgraph refuses to start', () => {
  test('with a field that has no operation', () => {
    const more = sdl.replace('type Query {', 'type Query { forgotten: String ');
    expect(() => buildSubgraph({ sdl: more, operations, types })).toThrow(/Query\.forgotten has no operation/);
  });
  test('with an operation that has no field', () => {
    const less = sdl.replace('createNote(input: CreateNoteInput!): Note!', 'other: String');
    expect(() => buildSubgraph({ sdl: less, operations, types })).toThrow(/operation createNote has no field in Mutation/);
  });
  test('with two operations bound to one field', () =>
    expect(() => buildSubgraph({ sdl, operations: [...operations, listNotes], types })).toThrow(/two operations are bound to notes/));
  test('with a resolver that has no field', () => {
    const stray = { Note: { ...types.Note, nowhere: () => undefined } };
    expect(() => buildSubgraph({ sdl, operations, types: stray })).toThrow(/resolver Note\.nowhere has no field/);
  });
  test('and starts when both sides agree', () => expect(buildSubgraph({ sdl, operations, types }).getQueryType()).toBeTruthy());
});

describe('a declaration that leaves something out does not compile', () => {
  // `npm run check` fails when one of these lines compiles: an expected error that does not come is
  // an error itself.
  test('without access, audit, verification, errors or events', () => {
    const declare = defineOperation<NoteDeps>();
    const whole = createNote as unknown as Parameters<typeof declare>[0];
    const { access, audit, verification, errors, events, ...rest } = whole;
    const incomplete = [
      // @ts-expect-error access is missing
      () => declare({ ...rest, audit, verification, errors, events }),
      // @ts-expect-error audit is missing
      () => declare({ ...rest, access, verification, errors, events }),
      // @ts-expect-error verification is missing
      () => declare({ ...rest, access, audit, errors, events }),
      // @ts-expect-error errors are missing
      () => declare({ ...rest, access, audit, verification, events }),
      // @ts-expect-error events are missing
      () => declare({ ...rest, access, audit, verification, errors }),
    ];
    expect(incomplete).toHaveLength(5);
  });
});
