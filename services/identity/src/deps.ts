import type { OauthDeps } from './oauth/deps.ts';

/** What all rooms need: the highest one's. `app.ts` and `compose.ts` build it. */
export type IdentityDeps = OauthDeps;
