import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { createDocuments } from './documents.ts';

const schema = buildSchema(`type Query { me: String } type Mutation { deleteProject: String login: String }`);

test('a mutation is known to change public documents by its fields, whatever they are called in the answer', () => {
  const documents = createDocuments({ schema, passThrough: () => undefined, hasIntrospection: false });
  const changes = (source: string) => {
    const prepared = documents.prepare(source, undefined);
    return prepared.kind === 'ready' ? prepared.changesDocuments : prepared.fault;
  };
  for (const source of [
    'mutation { deleteProject }',
    'mutation { login me: deleteProject }',
    'mutation { ...F } fragment F on Mutation { deleteProject }',
  ])
    expect(changes(source)).toStrictEqualFor(source, true);
  for (const source of ['mutation { login }', 'mutation { deleteProject: login }', '{ me }', '{ deleteProject: me }'])
    expect(changes(source)).toStrictEqualFor(source, false);
});
