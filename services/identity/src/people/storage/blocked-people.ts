/** Whom the platform has blocked (decision 28). */
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

const holdQuery = statement('identity_hold_unblocked_person', ({ userId }: Params<{ userId: string }>) =>
  query.selectFrom('users').where('id', '=', userId).where('blockedAt', 'is', null).select('id').forKeyShare(),
);
/** A block in parallel waits until the transaction ends. */
export async function holdUnblocked(tx: Transaction, userId: string): Promise<boolean> {
  return (await tx.one(holdQuery, { userId })) !== undefined;
}

export type PlatformPerson = {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly isPlatformAdministrator: boolean;
  readonly blockedAt: string | null;
  readonly blockReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const columns = ['u.id', 'u.name', 'u.blockedAt', 'u.blockReason', 'u.createdAt', 'u.updatedAt'] as const;
function people() {
  return query
    .selectFrom('users as u')
    .where('u.deletedAt', 'is', null)
    .select(columns)
    .select(({ exists, selectFrom }) => [
      exists(selectFrom('platform_administrators as a').whereRef('a.userId', '=', 'u.id').select('a.userId')).as('isPlatformAdministrator'),
      selectFrom('authentication_methods as m')
        .whereRef('m.userId', '=', 'u.id')
        .where('m.email', 'is not', null)
        .orderBy('m.isPrimary', 'desc')
        .orderBy('m.createdAt')
        .limit(1)
        .select('m.email')
        .as('email'),
    ]);
}

type Found = Omit<PlatformPerson, 'isPlatformAdministrator'> & { readonly isPlatformAdministrator: unknown };
const toPerson = ({ isPlatformAdministrator, ...person }: Found): PlatformPerson => ({
  ...person,
  isPlatformAdministrator: isPlatformAdministrator === true,
});

const byAddressQuery = statement('identity_find_platform_people', ({ email }: Params<{ email: string }>) =>
  people()
    .where('u.id', 'in', ({ selectFrom }) => selectFrom('authentication_methods').where('email', '=', email).select('userId'))
    .orderBy('u.createdAt')
    .limit(100),
);
const byIdQuery = statement('identity_find_platform_person', ({ id }: Params<{ id: string }>) => people().where('u.id', '=', id));

/** All who have the address as a way to sign in, proven or not. */
export async function findPeopleOfAddress(reader: Reader, email: string): Promise<PlatformPerson[]> {
  return (await reader.query(byAddressQuery, { email })).map(toPerson);
}

export async function findPlatformPerson(reader: Reader, id: string): Promise<PlatformPerson | undefined> {
  const [found] = await reader.query(byIdQuery, { id });
  return found && toPerson(found);
}

/** The first block counts: another one gives another reason. Call it under the person's lock. */
export async function setBlock(tx: Transaction, id: string, block: { readonly reason: string | null } | null, now: Date): Promise<void> {
  const at = block === null ? null : sql<string>`coalesce(blocked_at, ${now.toISOString()}::timestamptz)`;
  await tx.execute(
    query
      .updateTable('users')
      .set({ blockedAt: at, blockReason: block?.reason ?? null })
      .where('id', '=', id),
  );
}
