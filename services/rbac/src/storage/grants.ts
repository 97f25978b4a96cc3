import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from './query.ts';

export type StoredGrant = {
  readonly placeId: string;
  readonly scopeId: string;
  readonly grantId: string;
  readonly organizationId: string;
  readonly ownerOrganizationId: string;
  readonly projectId: string;
  readonly isActive: boolean;
  readonly isEnded: boolean;
  readonly endedAt: string | null;
  readonly roleIds: readonly string[] | null;
  readonly allowCustomRoles: boolean;
  readonly maxMembers: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** The state of a grant from now on. A later grant of the pair takes the place of an ended one. */
export async function putGrant(tx: Transaction, { roleIds, metadata, ...grant }: StoredGrant): Promise<void> {
  const row = { ...grant, roleIds: roleIds === null ? null : [...roleIds], metadata: { ...metadata } };
  const { placeId: _, scopeId: __, ...changes } = row;
  await tx.execute(
    query
      .insertInto('project_grants')
      .values(row)
      .onConflict((conflict) => conflict.column('placeId').doUpdateSet(changes)),
  );
}

const grantOfPlace = statement('rbac_grant_of_place', (p: Params<{ placeId: string }>) =>
  query.selectFrom('project_grants').where('placeId', '=', p.placeId).select('grantId'),
);
export async function findGrantOfPlace(tx: Transaction, placeId: string): Promise<string | undefined> {
  return (await tx.one(grantOfPlace, { placeId }))?.grantId;
}

const seats = statement('rbac_seats_of_grant', (p: Params<{ placeId: string }>) =>
  query
    .selectFrom('project_grants as g')
    .where('g.placeId', '=', p.placeId)
    .select(['g.maxMembers', 'g.isActive'])
    .select(({ selectFrom }) =>
      selectFrom('role_assignments as a')
        .where('a.tenant', '=', 'organizationProject')
        .whereRef('a.scopeId', '=', 'g.scopeId')
        .select(({ fn }) => fn.count<number>('a.userId').distinct().as('count'))
        .as('used'),
    ),
);

/** How many members may hold a role in the grant, and how many do. */
export async function findSeats(tx: Transaction, placeId: string) {
  const row = await tx.one(seats, { placeId });
  return { isActive: row?.isActive === true, most: row?.maxMembers ?? null, used: Number(row?.used ?? 0) };
}
