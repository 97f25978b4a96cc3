/** Everything that rbac serves beside its operations, as the gateway must know it. */
import type { ProtocolRoute } from '@tessera/server/rest';
import { authzenMetadataPath, authzenPrefix } from './authzen.ts';

export const protocolRoutes: readonly ProtocolRoute[] = [
  { path: authzenPrefix, isPrefix: true },
  { path: authzenMetadataPath, isDocument: true },
];
