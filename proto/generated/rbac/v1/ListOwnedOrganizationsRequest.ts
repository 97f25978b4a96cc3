// Original file: rbac/v1/service.proto


export interface ListOwnedOrganizationsRequest__Input {
  'userId'?: (string);
}

export interface ListOwnedOrganizationsRequest {
  'userId': (string);
}
