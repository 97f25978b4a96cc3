// Original file: tenancy/v1/service.proto

import type { UsedProject__Input as _tenancy_v1_UsedProject__Input, UsedProject as _tenancy_v1_UsedProject } from '../../tenancy/v1/UsedProject.ts';

export interface OrganizationOfPerson__Input {
  'organizationId'?: (string);
  'name'?: (string);
  'slug'?: (string);
  /**
   * by name
   */
  'grants'?: (_tenancy_v1_UsedProject__Input)[];
}

export interface OrganizationOfPerson {
  'organizationId': (string);
  'name': (string);
  'slug': (string);
  /**
   * by name
   */
  'grants': (_tenancy_v1_UsedProject)[];
}
