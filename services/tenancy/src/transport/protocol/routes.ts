/** Everything that tenancy serves beside its operations, as the gateway must know it. */
import type { ProtocolRoute } from '@tessera/server/rest';

/** The export of the audit log lies below an operation's path. */
export const protocolRoutes: readonly ProtocolRoute[] = [{ path: '/scim/v2', isPrefix: true }];
