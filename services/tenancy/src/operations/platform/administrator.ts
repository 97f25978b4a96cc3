import { failures } from '@tessera/kernel/errors';
import { callerOf } from '@tessera/kernel/operation';
import type { Context } from '../related.ts';

/** The access of operations above all tenants. identity's store is asked at each call. */
export const platformAdministrators = {
  signedIn: 'only for platform administrators, whom `npm run platform:admin` names',
  admit: async (context: Context): Promise<void> => {
    const { userId, claims } = callerOf(context);
    const { isAdministrator, hasSecondFactor } = await context.deps.identity.findPlatformAdministrator({ userId });
    // A session from an organization's own provider counts in that organization only.
    if (!isAdministrator || claims.connection !== undefined) throw failures.forbidden();
    if (hasSecondFactor && claims.acr !== 'aal2') throw failures.secondFactorRequired();
  },
} as const;

/**
 * The same, and service accounts of the platform. Their role is Provisioner: these operations, and
 * nothing else.
 */
export const provisioners = {
  signedIn: 'only for platform administrators, and for service accounts of the platform',
  tokens: ['session', 'platformAccount'],
  admit: async (context: Context): Promise<void> => {
    if (callerOf(context).claims.service === undefined) await platformAdministrators.admit(context);
  },
} as const;
