/** Standing consents in the API: whose supporters need not ask, until when. */
import { Id, Nullable, type OperationContext, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { SupportConsent as Row } from '../../../apps/storage/support-accesses.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { findPeople } from '../../../people/storage/people.ts';
import type { OauthDeps } from '../../deps.ts';
import { projectOf } from './support-access.ts';

const Named = { id: Id, name: Nullable(Type.String()) };
export const SupportConsent = Type.Object({
  id: Id,
  project: Type.Object({ ...Named, scope: Type.Object({ tenant: Type.String(), id: Type.String() }) }),
  mayWrite: Type.Boolean(),
  mayExport: Type.Boolean(),
  givenBy: Type.Object(Named),
  givenAt: Timestamp,
  endsAt: Timestamp,
});

export async function toSupportConsents(
  rows: readonly Row[],
  { deps }: Pick<OperationContext<OauthDeps>, 'deps'>,
): Promise<Static<typeof SupportConsent>[]> {
  const [names, people] = await Promise.all([
    namesOfScopes(rows.map(projectOf), deps),
    findPeople(
      deps.database,
      rows.map(({ givenBy }) => givenBy),
    ),
  ]);
  return rows.map(({ id, projectScopeId, givenBy, mayWrite, mayExport, givenAt, endsAt }, index) => ({
    id,
    project: {
      id: projectScopeId.slice(projectScopeId.indexOf(':') + 1),
      name: names[index]?.project ?? null,
      scope: { tenant: 'organizationProject', id: projectScopeId },
    },
    mayWrite,
    mayExport,
    givenBy: { id: givenBy, name: people.find((person) => person.id === givenBy)?.name ?? null },
    givenAt,
    endsAt,
  }));
}
