/** Everything that identity serves beside its operations, as the gateway must know it. */
import type { ProtocolRoute } from '@tessera/server/rest';
import { openidRoutes } from '../../oauth/openid/routes.ts';
import { pictureBase } from '../../people/pictures/picture-store.ts';

export const protocolRoutes: readonly ProtocolRoute[] = [
  // The names of the providers below it come from the configuration.
  { path: '/api/auth', isPrefix: true },
  { path: pictureBase.slice(0, -1), isPrefix: true },
  ...openidRoutes,
];
