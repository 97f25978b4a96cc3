import { failures } from '@tessera/kernel/errors';
import { callerOf, type OperationContext } from '@tessera/kernel/operation';
import type { PeopleDeps } from '../../deps.ts';
import { findPlatformAdministrator } from '../../storage/platform-administrators.ts';

/** The access of operations above all tenants. The store is asked at each call. */
export const platformAdministrators = {
  signedIn: 'only for platform administrators, whom `npm run platform:admin` names',
  admit: async (context: OperationContext<PeopleDeps>): Promise<void> => {
    const { userId, claims } = callerOf(context);
    const { isAdministrator, hasSecondFactor } = await findPlatformAdministrator(context.deps.database, userId);
    // The provider of an organization opens nothing above that organization.
    if (!isAdministrator || claims.connection !== undefined) throw failures.forbidden();
    if (hasSecondFactor && claims.acr !== 'aal2') throw failures.secondFactorRequired();
  },
} as const;

/** What the declarations of these operations have in common. */
export const ofPlatform = {
  access: platformAdministrators,
  scopes: 'none',
  verification: 'organization',
  isolation: { unscoped: 'platform administrators stand above the tenants' },
} as const;
