/** Everything that keys serves beside its operations, as the gateway must know it. */
import type { ProtocolRoute } from '@tessera/server/rest';
import { jwksRoutes } from './jwks.ts';

export const protocolRoutes: readonly ProtocolRoute[] = jwksRoutes.map(({ path }) => ({ path, isDocument: true }));
