/**
 * The default role of a connection, as a sign-in gives it: who chose it is asked at each gift
 * whether they could give it now, as who mapped a role is (decision 31).
 */
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { Mapper } from '../../ground/domain/connection.ts';
import type { SignInDeps } from '../deps.ts';
import type { Connection } from '../storage/connections.ts';

type Chosen = Pick<Connection, 'organizationId' | 'defaultRoleId' | 'defaultRoleBy' | 'isDefaultRoleByService' | 'createdBy'>;

export function chooserOf({ defaultRoleBy, isDefaultRoleByService, createdBy }: Omit<Chosen, 'organizationId' | 'defaultRoleId'>): Mapper {
  return { mappedBy: defaultRoleBy ?? createdBy, isMappedByService: isDefaultRoleByService };
}

/** Viewer, where the default role was deleted, or who chose it could not give it any more. */
export async function standingDefault(connection: Chosen, deps: Pick<SignInDeps, 'roles' | 'catalogue'>): Promise<string> {
  const { organizationId, defaultRoleId } = connection;
  const viewer = builtInRoleId('organization', organizationId, 'Viewer');
  if (defaultRoleId === viewer) return viewer;
  return (await mayStillGive(connection, deps)) ? defaultRoleId : viewer;
}

/** Whether who chose it could change the connection and give the role now. */
export async function mayStillGive(connection: Chosen, { roles, catalogue }: Pick<SignInDeps, 'roles' | 'catalogue'>): Promise<boolean> {
  const { organizationId, defaultRoleId } = connection;
  const { mappedBy: userId, isMappedByService } = chooserOf(connection);
  const scope = { tenant: 'organization', id: organizationId };
  const by = { type: isMappedByService ? 'serviceAccount' : 'session', ...(isMappedByService ? { tokenScope: scope } : {}) };
  const actor = { ...by, userId, tokenId: '', scopes: [] };
  const [grant, change] = await Promise.all([
    roles.checkGrant({ actor, scope, roleIds: [defaultRoleId], givenTo: 'user' }),
    catalogue.checkActions({ actor, scope, actions: ['Connection:Update'] }),
  ]);
  return [grant.verdicts, change.verdicts].every(
    (verdicts) => verdicts.length > 0 && verdicts.every(({ verdict }) => verdict === 'allowed'),
  );
}
