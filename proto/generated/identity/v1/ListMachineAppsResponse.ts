// Original file: identity/v1/service.proto

import type { MachineApp__Input as _identity_v1_MachineApp__Input, MachineApp as _identity_v1_MachineApp } from '../../identity/v1/MachineApp.ts';

export interface ListMachineAppsResponse__Input {
  'apps'?: (_identity_v1_MachineApp__Input)[];
  /**
   * the last app that was looked at; empty at the end
   */
  'lastId'?: (string);
}

export interface ListMachineAppsResponse {
  'apps': (_identity_v1_MachineApp)[];
  /**
   * the last app that was looked at; empty at the end
   */
  'lastId': (string);
}
