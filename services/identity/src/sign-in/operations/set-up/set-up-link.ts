/** Set-up links in the API, for the organization that makes them. */
import { annotate, entityFields, Id, Nullable, type OperationContext, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { SignInDeps } from '../../deps.ts';
import { stands } from '../../set-up.ts';
import type { SetUpLink as Row } from '../../storage/set-up-links.ts';

type Context = Pick<OperationContext<SignInDeps>, 'deps' | 'now'>;

export const setUpScopes = ['organization'] as const;

const states = ['open', 'begun', 'finished', 'revoked', 'expired', 'ended'] as const;

export const SetUpLink = Type.Object({
  ...entityFields,
  state: Type.Enum([...states], {
    description: '`begun`: a browser has it, and no other can use it. `ended`: whoever made it may not do so any more',
  }),
  email: Nullable(Type.String({ description: 'To which it was mailed' })),
  createdBy: Id,
  allowsDirectory: Type.Boolean({ description: 'It may make a token for SCIM' }),
  expiresAt: Timestamp,
  begunAt: Nullable(Timestamp),
  begunFrom: Nullable(Type.String({ description: 'The network address of the browser that began' })),
  finishedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
  connectionId: Nullable(annotate(Id, { description: 'Of the connection that was made by it' })),
  directoryAccountId: Nullable(annotate(Id, { description: 'Of the service account whose token was made by it' })),
});
type SetUpLink = Static<typeof SetUpLink>;

/** Makers are few: each is asked about once. */
export async function showSetUpLinks(rows: readonly Row[], { deps, now }: Context): Promise<SetUpLink[]> {
  const standing = new Map<string, Promise<boolean>>();
  const isVouched = (row: Row): Promise<boolean> => {
    const key = JSON.stringify(row.voucher);
    const known = standing.get(key) ?? stands(row, deps, now);
    standing.set(key, known);
    return known;
  };
  const stateOf = async (row: Row): Promise<SetUpLink['state']> => {
    if (row.finishedAt !== null) return 'finished';
    if (row.revokedAt !== null) return 'revoked';
    if (Date.parse(row.expiresAt) <= now.getTime()) return 'expired';
    if (!(await isVouched(row))) return 'ended';
    return row.begunAt === null ? 'open' : 'begun';
  };
  return Promise.all(rows.map(async (row) => show(row, await stateOf(row))));
}

export function show(row: Row, state: SetUpLink['state']): SetUpLink {
  const { organizationId: _organization, browser: _browser, voucher: _voucher, connectionMadeAt, connectionId, ...shown } = row;
  return { ...shown, state, connectionId: connectionMadeAt === null ? null : connectionId, deletedAt: null };
}
