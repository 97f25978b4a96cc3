// Original file: identity/v1/service.proto

import type { ActingApp__Input as _identity_v1_ActingApp__Input, ActingApp as _identity_v1_ActingApp } from '../../identity/v1/ActingApp.ts';

export interface FindActingAppResponse__Input {
  'app'?: (_identity_v1_ActingApp__Input | null);
  '_app'?: "app";
}

export interface FindActingAppResponse {
  'app'?: (_identity_v1_ActingApp | null);
}
