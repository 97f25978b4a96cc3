import { freshnessOf, Id, Nullable, type OperationContext, pastOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { jsonRecord } from '@tessera/rules/condition';
import Type from 'typebox';
import { operation, type RbacDeps } from '../../deps.ts';
import { pageInput, question } from './input.ts';
import { findActor, mayCaller, NamedActor, type SubjectType, subjectTypes } from './named.ts';
import { searchSubjects } from './search-subjects.ts';

export const findSubjects = operation({
  name: 'findSubjects',
  summary:
    'Who may do this here? People, API keys, apps or service accounts, by id, page by page; a page may be short while there is a next one.',
  kind: 'query',
  input: strict({
    ...scopeField,
    subjectType: Type.Enum([...subjectTypes]),
    ...question,
    actor: Type.Optional(NamedActor),
    cursor: Type.Optional(Id),
    limit: pageInput.limit,
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        type: Type.Enum([...subjectTypes]),
        id: Id,
        name: Nullable(Type.String({ description: 'Null for callers who may not list them' })),
      }),
    ),
    nextCursor: Nullable(Id),
  }),
  access: { permission: 'Decision:Evaluate' },
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'reads in transactions of its own, as the restricted role, and asks other services between them' },
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/search/subjects' },
  graphql: { field: 'findSubjects', type: 'FoundSubjects' },
  handle: async ({ subjectType: type, permission, context: given, actor: named, cursor, limit = 100 }, context) => {
    const scope = scopeOf(context);
    const target = jsonRecord(given?.resource ?? {});
    const actor = named && (await findActor(context.deps, named, scope));
    const asked = { type, scope, ...permission, target, actor, cursor, limit, past: pastOf(context), ...freshnessOf(context) };
    const { ids, nextCursor } = await searchSubjects(context.deps, asked);
    const names = await namesOf(context, type, ids);
    return { items: ids.map((id) => ({ type, id, name: names.get(id) ?? null })), nextCursor: nextCursor ?? null };
  },
});

const needed = {
  user: 'User:Query',
  apiKey: 'ApiKey:Query',
  app: 'ProjectApp:Query',
  serviceAccount: 'ServiceAccount:Query',
} as const;

async function namesOf(
  context: OperationContext<RbacDeps>,
  type: SubjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const scope = scopeOf(context);
  if (ids.length === 0 || !(await mayCaller(context, scope, needed[type]))) return new Map();
  if (type === 'user') return new Map((await context.deps.findPeople(ids)).map(({ id, name }) => [id, name]));
  const found = await context.deps.machines[type].named(scope, ids);
  return new Map(found.map(({ id, name }) => [id, name]));
}
