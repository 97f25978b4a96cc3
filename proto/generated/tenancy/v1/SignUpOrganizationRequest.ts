// Original file: tenancy/v1/service.proto

import type { Scope__Input as _tenancy_v1_Scope__Input, Scope as _tenancy_v1_Scope } from '../../tenancy/v1/Scope.ts';

export interface SignUpOrganizationRequest__Input {
  'userId'?: (string);
  'userName'?: (string);
  'email'?: (string);
  /**
   * its own scope, of its owner
   */
  'project'?: (_tenancy_v1_Scope__Input | null);
  /**
   * of the organization
   */
  'name'?: (string);
  /**
   * to which the person signs in
   */
  'appId'?: (string);
  /**
   * this and the rest: for the audit log and the mail
   */
  'requestId'?: (string);
  'ipAddress'?: (string);
  'userAgent'?: (string);
  'language'?: (string);
  '_email'?: "email";
}

export interface SignUpOrganizationRequest {
  'userId': (string);
  'userName': (string);
  'email'?: (string);
  /**
   * its own scope, of its owner
   */
  'project': (_tenancy_v1_Scope | null);
  /**
   * of the organization
   */
  'name': (string);
  /**
   * to which the person signs in
   */
  'appId': (string);
  /**
   * this and the rest: for the audit log and the mail
   */
  'requestId': (string);
  'ipAddress': (string);
  'userAgent': (string);
  'language': (string);
}
