// Original file: tenancy/v1/service.proto

import type { OrganizationName__Input as _tenancy_v1_OrganizationName__Input, OrganizationName as _tenancy_v1_OrganizationName } from '../../tenancy/v1/OrganizationName.ts';

export interface ListPlacesResponse__Input {
  /**
   * one of the people of the project itself
   */
  'isHere'?: (boolean);
  /**
   * whose the project is; absent for one that does not exist
   */
  'owner'?: (_tenancy_v1_OrganizationName__Input | null);
  /**
   * by name
   */
  'customers'?: (_tenancy_v1_OrganizationName__Input)[];
  /**
   * whether any organization uses the project
   */
  'isGranted'?: (boolean);
  /**
   * whether the person may make an organization that uses it: none of theirs does, and they are not of the project itself
   */
  'canSignUp'?: (boolean);
  '_owner'?: "owner";
}

export interface ListPlacesResponse {
  /**
   * one of the people of the project itself
   */
  'isHere': (boolean);
  /**
   * whose the project is; absent for one that does not exist
   */
  'owner'?: (_tenancy_v1_OrganizationName | null);
  /**
   * by name
   */
  'customers': (_tenancy_v1_OrganizationName)[];
  /**
   * whether any organization uses the project
   */
  'isGranted': (boolean);
  /**
   * whether the person may make an organization that uses it: none of theirs does, and they are not of the project itself
   */
  'canSignUp': (boolean);
}
