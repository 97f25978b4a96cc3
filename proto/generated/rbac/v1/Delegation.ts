// Original file: rbac/v1/authorization.proto

import type { Actor__Input as _rbac_v1_Actor__Input, Actor as _rbac_v1_Actor } from '../../rbac/v1/Actor.ts';

/**
 * The apps that act for a person, the newest first (`act` of a token). Each of them must have the permission, besides the person.
 */
export interface Delegation__Input {
  'actors'?: (_rbac_v1_Actor__Input)[];
}

/**
 * The apps that act for a person, the newest first (`act` of a token). Each of them must have the permission, besides the person.
 */
export interface Delegation {
  'actors': (_rbac_v1_Actor)[];
}
