import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { emailProvider } from '../../ground/domain/people.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

const find = statement('identity_find_platform_administrator', ({ userId }: Params<{ userId: string }>) =>
  query
    .selectFrom('platform_administrators as a')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'a.userId').on('u.deletedAt', 'is', null).on('u.blockedAt', 'is', null))
    .where('a.userId', '=', userId)
    .select(({ exists, selectFrom }) => [
      exists(
        selectFrom('authentication_methods as m')
          .whereRef('m.userId', '=', 'u.id')
          .where('m.isVerified', '=', true)
          // As `holdsAddress` says.
          .where(({ eb, or }) => or([eb('m.provider', '<>', sql.lit(emailProvider)), eb('m.heldAt', 'is not', null)]))
          .select('m.id'),
      ).as('holdsAddress'),
      exists(selectFrom('second_factors as f').whereRef('f.userId', '=', 'u.id').where('f.isConfirmed', '=', true).select('f.id')).as(
        'hasSecondFactor',
      ),
    ]),
);

/** `isAdministrator` is false for people who hold no address, and for those deleted or blocked. */
export async function findPlatformAdministrator(
  reader: Reader,
  userId: string,
): Promise<{ readonly isAdministrator: boolean; readonly hasSecondFactor: boolean }> {
  const [found] = await reader.query(find, { userId });
  return { isAdministrator: found?.holdsAddress === true, hasSecondFactor: found?.hasSecondFactor === true };
}

const lockAll = statement('identity_lock_platform_administrators', () =>
  query.selectFrom('platform_administrators').select('userId').orderBy('userId').forUpdate(),
);
const countOthers = statement('identity_count_other_administrators', ({ userId }: Params<{ userId: string }>) =>
  query
    .selectFrom('platform_administrators as a')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'a.userId').on('u.deletedAt', 'is', null).on('u.blockedAt', 'is', null))
    .where('a.userId', '<>', userId)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** How many administrators there are besides; none is blocked or unblocked until the commit. */
export async function lockOtherAdministrators(tx: Transaction, userId: string): Promise<number> {
  await tx.query(lockAll, {});
  const [row] = await tx.query(countOthers, { userId });
  return Number(row?.count ?? 0);
}
