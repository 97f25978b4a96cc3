// Original file: tenancy/v1/service.proto


export interface UsedProject__Input {
  'grantId'?: (string);
  'projectId'?: (string);
  'name'?: (string);
}

export interface UsedProject {
  'grantId': (string);
  'projectId': (string);
  'name': (string);
}
