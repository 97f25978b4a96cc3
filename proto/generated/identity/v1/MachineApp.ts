// Original file: identity/v1/service.proto


export interface MachineApp__Input {
  'id'?: (string);
  'name'?: (string);
  'roleId'?: (string);
}

export interface MachineApp {
  'id': (string);
  'name': (string);
  'roleId': (string);
}
