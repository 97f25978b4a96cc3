// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface ListPeopleRequest__Input {
  'scope'?: (_tenancy_v1_Scope__Input | null);
  'page'?: (number);
  'limit'?: (number);
  'search'?: (string);
  /**
   * name | email | createdAt | updatedAt
   */
  'sortField'?: (string);
  'sortOrder'?: (string);
  /**
   * when not empty: only these
   */
  'ids'?: (string)[];
  /**
   * true: `ids` applies even when empty
   */
  'filterIds'?: (boolean);
}

export interface ListPeopleRequest {
  'scope': (_tenancy_v1_Scope | null);
  'page': (number);
  'limit': (number);
  'search': (string);
  /**
   * name | email | createdAt | updatedAt
   */
  'sortField': (string);
  'sortOrder': (string);
  /**
   * when not empty: only these
   */
  'ids': (string)[];
  /**
   * true: `ids` applies even when empty
   */
  'filterIds': (boolean);
}
