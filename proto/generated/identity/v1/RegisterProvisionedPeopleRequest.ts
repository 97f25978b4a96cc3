// Original file: identity/v1/service.proto

import type { RegisterProvisionedRequest__Input as _identity_v1_RegisterProvisionedRequest__Input, RegisterProvisionedRequest as _identity_v1_RegisterProvisionedRequest } from '../../identity/v1/RegisterProvisionedRequest.ts';

export interface RegisterProvisionedPeopleRequest__Input {
  'people'?: (_identity_v1_RegisterProvisionedRequest__Input)[];
}

export interface RegisterProvisionedPeopleRequest {
  'people': (_identity_v1_RegisterProvisionedRequest)[];
}
