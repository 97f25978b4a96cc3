import { isConnection } from '../ground/domain/connection.ts';
import type { Amr } from '../ground/domain/session.ts';

/** What a sign-in at a provider counts as, for a person with these ways to sign in. */
export function amrOfProvider(provider: string, methods: readonly { readonly provider: string }[]): readonly Amr[] {
  const hasOwnWay = methods.some((method) => !isConnection(method.provider));
  return isConnection(provider) && hasOwnWay ? ['fed', 'org'] : ['fed'];
}
