// Original file: tenancy/v1/service.proto


export interface ListOrganizationsRequest__Input {
  'userId'?: (string);
}

export interface ListOrganizationsRequest {
  'userId': (string);
}
