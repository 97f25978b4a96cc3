import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import { type HandleContext, Id, strict, writeAudits } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { claimForNew, isProvenMeanwhile } from '../../address-owner.ts';
import { operation, type PeopleDeps } from '../../deps.ts';
import { hashAlgorithms } from '../../domain/imported-hash.ts';
import { errors } from '../../errors.ts';
import { findImportedPeople, insertImportedPeople, lockImports, type PersonToImport } from '../../storage/imported-people.ts';
import { platformAdministrators } from './administrator.ts';
import { type ReadRow, type RowFault, readRow } from './import-row.ts';

const mostRows = 500;
const mostPeopleOfEvent = 100;

/** Any value is taken here: a row that cannot be read is `invalid` and does not stop the others. */
const Row = Type.Object(
  {
    email: Type.Optional(Type.Unknown({ description: 'An email address; required', examples: ['ada@example.com'] })),
    name: Type.Optional(Type.Unknown({ description: 'At most 200 characters; the address’s first part when left out', examples: ['Ada'] })),
    passwordHash: Type.Optional(
      Type.Unknown({
        secret: true,
        description: 'In its usual text form (docs/platform.md); left out, the person sets a password by mail',
        examples: ['$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'],
      }),
    ),
    hashAlgorithm: Type.Optional(Type.Unknown({ description: `One of ${hashAlgorithms.join(', ')}`, examples: ['bcrypt'] })),
    emailVerified: Type.Optional(Type.Unknown({ description: 'true is believed; false when left out', examples: [true] })),
    externalId: Type.Optional(Type.Unknown({ description: 'Of the other system: a second run finds the person', examples: ['auth0|1'] })),
    metadata: Type.Optional(Type.Unknown({ description: 'A free-form object of at most 64 KiB', examples: [{ plan: 'pro' }] })),
  },
  { description: 'A person of another system', graphqlType: 'JSON' },
);

const Result = strict({
  index: Type.Integer({ description: 'The place of the row in `users`, from 0' }),
  externalId: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'As it was sent, unless it is no text' })),
  status: Type.Enum(['created', 'exists', 'skipped', 'invalid'], {
    description:
      'created; exists: an earlier import made the person of this externalId; skipped: the address belongs to a person already; invalid: the row cannot be read',
  }),
  userId: Type.Optional(Id),
  reason: Type.Optional(Type.String({ description: 'Why a row was skipped or is invalid' })),
});
type Result = Static<typeof Result>;

export const importUsers = operation({
  name: 'importUsers',
  summary: 'Take people over from another system, with the hashes of their passwords; never an address that exists',
  kind: 'mutation',
  input: strict({
    users: Type.Array(Row, {
      minItems: 1,
      maxItems: mostRows,
      description: 'At most 500, with the fields email, name, passwordHash, hashAlgorithm, emailVerified, externalId and metadata',
    }),
  }),
  output: strict({
    items: Type.Array(Result, { description: 'One for each row, in its order' }),
    counts: strict({ created: Type.Integer(), exists: Type.Integer(), skipped: Type.Integer(), invalid: Type.Integer() }),
  }),
  access: platformAdministrators,
  scopes: 'none',
  verification: 'organization',
  isolation: { unscoped: 'identity has no pivot tables' },
  limit: { global: 'hashes are kept, none is checked' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'CONFLICT'],
  audit: 'platform.users-imported',
  events: ['users.imported'],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/platform/users/import', bodyLimitBytes: 4 * 1024 * 1024 },
  graphql: { field: 'importUsers', type: 'ImportUsersResult' },
  handle: async ({ users }, context) => {
    const rows = users.map((given) => ({ given, read: readRow(given) }));
    const results = await importRows(
      rows.map(({ read }) => read),
      context,
    );
    const items = results.map((result, index) => ({ index, ...namesOf(rows[index]?.given ?? {}), ...result }));
    const counts = countsOf(items);
    context.audit({ targetType: 'User', detail: { rows: users.length, ...counts } });
    return { items, counts };
  },
});

/** Texts only: the client finds its row by them. */
function namesOf({ externalId, email }: { readonly externalId?: unknown; readonly email?: unknown }) {
  return {
    ...(typeof externalId === 'string' ? { externalId: externalId.slice(0, 255) } : {}),
    ...(typeof email === 'string' ? { email: email.slice(0, 320) } : {}),
  };
}

function countsOf(items: readonly Pick<Result, 'status'>[]) {
  const count = (status: Result['status']) => items.filter((item) => item.status === status).length;
  return { created: count('created'), exists: count('exists'), skipped: count('skipped'), invalid: count('invalid') };
}

type Outcome = Pick<Result, 'status'> & Partial<Pick<Result, 'userId' | 'reason'>>;
const taken: Outcome = { status: 'skipped', reason: 'the address belongs to a person already' };

/** All rows in one transaction: each person is made as a whole, with the event, or not at all. */
async function importRows(rows: readonly (ReadRow | RowFault)[], context: HandleContext<PeopleDeps>): Promise<readonly Outcome[]> {
  const { tx, now, emit } = context;
  await lockImports(tx);
  const people = rows.flatMap((row) => ('fault' in row ? [] : [row]));
  const known = await findImportedPeople(
    tx,
    people.flatMap(({ externalId }) => externalId ?? []),
  );
  const fresh = people.filter(({ externalId }) => externalId === undefined || !known.has(externalId));
  const addresses = fresh.map(({ email }) => email);
  const chosen = choose(fresh, await claimForNew(tx, addresses, now));
  const made = await insertImportedPeople(tx, [...chosen.values()], now).catch((error: unknown) => {
    throw isProvenMeanwhile(error) ? errors.importAgain() : error;
  });
  const created = [...chosen.values()].filter(({ userId }) => made.has(userId));
  for (let at = 0; at < created.length; at += mostPeopleOfEvent) emit(imported(created.slice(at, at + mostPeopleOfEvent)));
  await auditEach(created, context);
  const twins = new Map([...chosen.values()].map(({ externalId, userId }) => [externalId, userId]));
  return rows.map((row) => {
    if ('fault' in row) return { status: 'invalid', reason: row.fault };
    const earlier = known.get(row.externalId ?? '');
    if (earlier !== undefined) return { status: 'exists', userId: earlier };
    const person = chosen.get(row);
    if (person !== undefined && made.has(person.userId)) return { status: 'created', userId: person.userId };
    const twin = row.externalId === undefined ? undefined : twins.get(row.externalId);
    return person === undefined && twin !== undefined && made.has(twin) ? { status: 'exists', userId: twin } : taken;
  });
}

/** The first row of each free address and of each external id. */
function choose(rows: readonly ReadRow[], free: ReadonlySet<string>): Map<ReadRow, PersonToImport> {
  const seen = { addresses: new Set<string>(), externalIds: new Set<string>() };
  const chosen = new Map<ReadRow, PersonToImport>();
  for (const row of rows) {
    const { email, externalId } = row;
    if (!free.has(email) || seen.addresses.has(email) || (externalId !== undefined && seen.externalIds.has(externalId))) continue;
    seen.addresses.add(email);
    if (externalId !== undefined) seen.externalIds.add(externalId);
    chosen.set(row, { ...row, userId: newId(), methodId: newId(), account: { id: newId(), type: 'personal' } });
  }
  return chosen;
}

function imported(people: readonly PersonToImport[]): OutgoingEvent {
  const payload = people.map(({ userId, name, email, isVerified, account }) => ({ userId, name, email, isVerified, account }));
  return { type: 'users.imported', key: people[0]?.userId ?? '', payload: { people: payload } };
}

async function auditEach(people: readonly PersonToImport[], context: HandleContext<PeopleDeps>): Promise<void> {
  const records = people.map(({ userId, name, externalId, isVerified, passwordHash }) => {
    const detail = { externalId: externalId ?? null, emailVerified: isVerified, hasPassword: passwordHash !== undefined };
    const changes = [{ field: 'name', before: null, after: name }];
    const entry = { targetType: 'User', targetId: userId, detail };
    return { operation: 'importUsers', action: 'user.imported', outcome: 'ok', entry, changes } as const;
  });
  await writeAudits(context.tx, records, context);
}
