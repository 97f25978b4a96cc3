// Original file: rbac/v1/authorization.proto

import type { Actor__Input as _rbac_v1_Actor__Input, Actor as _rbac_v1_Actor } from '../../rbac/v1/Actor.ts';

/**
 * Who acts for a person, the newest first (`act` of a token). Each of them must be allowed what the person is.
 */
export interface Delegation__Input {
  'actors'?: (_rbac_v1_Actor__Input)[];
}

/**
 * Who acts for a person, the newest first (`act` of a token). Each of them must be allowed what the person is.
 */
export interface Delegation {
  'actors': (_rbac_v1_Actor)[];
}
