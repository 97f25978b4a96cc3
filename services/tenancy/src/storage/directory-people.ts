/** What an organization's directory says of people, and what became of each here. Scoped work. */
import { type PageRequest, type Params, pageList, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { invitationStatusIs } from './member-page.ts';
import { query } from './query.ts';

/**
 * `waiting`: identity is asked to make the person. `absent`: the directory says active, and no
 * member has the row: they left, were removed or deleted, or their invitation has ended.
 */
export const directoryStates = ['active', 'inactive', 'invited', 'waiting', 'detached', 'absent'] as const;
export type DirectoryState = (typeof directoryStates)[number];

const isOpen = `EXISTS (SELECT FROM (SELECT status, expires_at FROM organization_invitations i WHERE i.id = d.invitation_id
  AND i.organization_id = d.organization_id) AS i WHERE ${invitationStatusIs('pending')})`;
const state = sql<DirectoryState>`${sql.raw(`CASE WHEN m.detached_at IS NOT NULL THEN 'detached' WHEN NOT d.active THEN 'inactive'
  WHEN m.user_id IS NOT NULL THEN 'active' WHEN d.making_since IS NOT NULL THEN 'waiting' WHEN ${isOpen} THEN 'invited' ELSE 'absent' END`)}`;
const name = sql<string>`coalesce(d.attributes ->> 'displayName', d.attributes #>> '{name,formatted}',
  nullif(concat_ws(' ', d.attributes #>> '{name,givenName}', d.attributes #>> '{name,familyName}'), ''), '')`;

type Values = { readonly organizationId: string; readonly ofState: DirectoryState | null };

const list = pageList(({ organizationId, ofState }: Params<Values>) => ({
  name: 'directory_people',
  from: query
    .selectFrom('directory_users as d')
    .leftJoin('organization_users as m', (join) =>
      join.onRef('m.organizationId', '=', 'd.organizationId').onRef('m.userId', '=', 'd.userId'),
    )
    .where('d.organizationId', '=', organizationId)
    .where(sql<boolean>`(${ofState}::text IS NULL OR ${state} = ${ofState})`),
  select: (rows) =>
    rows.select([
      ...(['d.id', 'd.userName', 'd.email', 'd.externalId', 'd.active as isActive', 'm.userId', 'd.createdAt', 'd.updatedAt'] as const),
      name.as('name'),
      state.as('state'),
    ]),
  search: ['d.userName', 'd.email', name],
  sort: { fields: { userName: 'd.userName', createdAt: 'd.createdAt', updatedAt: 'd.updatedAt' }, default: 'userName' },
  id: 'd.id',
}));

export function pageDirectoryPeople(tx: Transaction, values: Values, input: PageRequest) {
  return list(tx, values, input);
}
