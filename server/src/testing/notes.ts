/** A small service for tests: real Postgres, the real pipeline, both transports. */

import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { migrate } from '@tessera/kernel/migrations';
import {
  defineOperation,
  entityFields,
  Id,
  Name,
  type Operation,
  pageFields,
  pageOf,
  type RestRelation,
  type Runtime,
  scopeField,
  strict,
  toPage,
} from '@tessera/kernel/operation';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import type { Claims } from '@tessera/kernel/tokens';
import Fastify from 'fastify';
import Type from 'typebox';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { bindGraphql, relationField } from '../graphql/index.ts';
import { acceptJsonOnly, answerErrors, bindRest } from '../rest/index.ts';

export type NoteDeps = { readonly loads: { count: number } };
const operation = defineOperation<NoteDeps>();
const Note = Type.Object({ ...entityFields, title: Type.String(), readers: Type.Optional(Type.Array(Type.String())) });
type NoteRow = { id: string; title: string; createdAt: string; updatedAt: string; deletedAt: string | null };

const columns = `id, title, created_at AS "createdAt", created_at AS "updatedAt", NULL AS "deletedAt", 'hidden' AS secret`;

export const readers: RestRelation<NoteDeps> = {
  schema: Type.Array(Type.String()),
  permission: 'Reader:Query',
  load: async (rows, { deps }) => {
    deps.loads.count += 1;
    return rows.map((row) => [`reader of ${String(row.title)}`]);
  },
};

export const createNote = operation({
  name: 'createNote',
  summary: 'Writes a note.',
  kind: 'mutation',
  input: strict({ ...scopeField, title: Name }),
  output: Note,
  access: { permission: 'Note:Create' },
  scopes: ['account', 'organization'],
  verification: 'by-scope',
  errors: ['CONFLICT'],
  audit: 'note.created',
  events: ['user.left'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/notes', status: 201 },
  graphql: { field: 'createNote', type: 'Note' },
  handle: async ({ title, scope }, { tx, emit, audit, actor }) => {
    const id = newId();
    await tx.execute(sql('INSERT INTO notes (id, title) VALUES ($1, $2)'), [id, title]);
    if (title === 'explode') throw new Error('after the insert');
    if (title === 'conflict') throw failures.conflict('Note', 'title');
    emit({ type: 'user.left', key: scope.id, payload: { userId: actor.kind === 'token' ? actor.userId : '', scope } });
    audit({ targetType: 'Note', targetId: id, detail: { title } });
    const note = await tx.one<NoteRow>(sql(`SELECT ${columns} FROM notes WHERE id = $1`), [id]);
    if (!note) throw failures.notFound('Note');
    return note;
  },
});

export const listNotes = operation({
  name: 'listNotes',
  summary: 'Lists notes.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['title'], ['readers']) }),
  output: pageOf(Note),
  access: { permission: 'Note:Query' },
  scopes: ['account', 'organization'],
  verification: 'by-scope',
  errors: [],
  audit: { none: 'a read' },
  events: [],
  rest: { method: 'GET', path: '/api/notes' },
  graphql: { field: 'notes', type: 'NotePage', items: 'notes' },
  relations: { readers },
  handle: async (input, { tx }) => {
    const rows = await tx.query<NoteRow>(sql(`SELECT ${columns} FROM notes ORDER BY title`));
    return toPage(rows, rows.length, input);
  },
});

export const deleteNote = operation({
  name: 'deleteNote',
  summary: 'Removes a note.',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({ id: Id }),
  access: {
    permission: 'Note:Delete',
    target: async ({ id }, { deps }) => (deps.loads.count >= 0 && id.endsWith('0') ? undefined : { id }),
  },
  scopes: ['account'],
  verification: 'account-settings',
  errors: [],
  audit: 'note.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/notes/:id' },
  graphql: { none: 'REST is enough here' },
  deprecated: { since: '2026-01-01', sunset: '2026-07-31', instead: 'archive the note' },
  handle: async ({ id }) => ({ id }),
});

export const sdl = /* GraphQL */ `
  type Note @key(fields: "id") { id: ID! title: String! createdAt: Date! readers: [String!] scope: EntityScope }
  type NotePage { notes: [Note!]! totalCount: Int! hasNextPage: Boolean! }
  input NotesInput { scope: ScopeInput! page: Int limit: Int search: String }
  input CreateNoteInput { scope: ScopeInput! title: String! idempotencyKey: String }
  type Query { notes(input: NotesInput!): NotePage! }
  type Mutation { createNote(input: CreateNoteInput!): Note! }
`;

export const operations: readonly Operation<NoteDeps>[] = [createNote, listNotes, deleteNote];

export const accountId = '0190a000-0000-7000-8000-000000000001';
export const userId = '0190a000-0000-7000-8000-0000000000aa';

function claims(changes: Partial<Claims>): Claims {
  return {
    sub: userId,
    aud: 'http://test',
    iss: 'http://test',
    iat: 1,
    exp: 9_999_999_999,
    jti: '0190a000-0000-7000-8000-0000000000bb',
    type: 'session',
    isVerified: true,
    ...changes,
  };
}

/** Readers ask its session for a fresh sign-in. */
const staleId = '0190a000-0000-7000-8000-0000000000dd';

/** Tokens of the fixture: what the verifier would say of them. */
const known: Readonly<Record<string, Claims>> = {
  owner: claims({}),
  unverified: claims({ isVerified: false }),
  nobody: claims({ sub: '0190a000-0000-7000-8000-0000000000cc' }),
  stale: claims({ jti: staleId }),
};

export async function createFixture() {
  const test: TestDatabase = await createTestDatabase();
  const url = test.urls.rbac;
  await migrate({ url, schema: 'rbac', folder: new URL('./migrations', import.meta.url).pathname });
  const database = createDatabase({ url, schema: 'rbac', restrictedRole: 'tenant_app_restricted', rlsEnabled: true });
  const deps: NoteDeps = { loads: { count: 0 } };
  const logged: object[] = [];
  const delivered: string[] = [];
  const outcomes: (readonly [operation: string, outcome: string])[] = [];
  const secrets: [string, ...string[]] = ['a secret of the deployment for tests'];
  const logger = { error: (details: object) => void logged.push(details), warn: () => undefined };
  const runtime: Runtime<NoteDeps> = {
    service: 'fixture',
    deps,
    database,
    // Replaces the rbac service: the owner may do everything in the account, and other users
    // nothing.
    authorizer: {
      check: async (checks) =>
        checks.map(({ subject, scope, resource }) => {
          if (resource === 'Reader' && subject.tokenId === staleId) return { authorized: false, reason: 'FRESH_SIGN_IN_REQUIRED' };
          const authorized = subject.userId === userId && scope.id.startsWith('0190a000') && resource !== 'Forbidden';
          return { authorized, reason: authorized ? 'PERMISSION_GRANTED_NO_CONDITION' : 'NO_MATCHING_PERMISSION_FOUND' };
        }),
    },
    verifyToken: async (token) => {
      const found = known[token];
      if (!found) throw failures.unauthenticated();
      return found;
    },
    secrets,
    deliver: async (ids) => void delivered.push(...ids),
    clock: () => new Date(),
    countOperation: (operation, outcome) => void outcomes.push([operation, outcome]),
    logger,
  };
  const app = Fastify();
  acceptJsonOnly(app);
  answerErrors(app, { logger, showStack: false });
  bindRest(app, operations, runtime);
  bindGraphql(app, { sdl, operations, types: { Note: { readers: relationField('Note.readers', readers) } } }, runtime);
  await app.ready();
  const close = async () => {
    await app.close();
    await database.close();
    await test.drop();
  };
  return { app, database, deps, secrets, logged, delivered, outcomes, close };
}
