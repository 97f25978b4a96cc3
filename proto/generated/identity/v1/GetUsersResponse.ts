// Original file: identity/v1/service.proto

import type { User__Input as _identity_v1_User__Input, User as _identity_v1_User } from '../../identity/v1/User.ts';

export interface GetUsersResponse__Input {
  /**
   * unknown ids are left out
   */
  'users'?: (_identity_v1_User__Input)[];
}

export interface GetUsersResponse {
  /**
   * unknown ids are left out
   */
  'users': (_identity_v1_User)[];
}
