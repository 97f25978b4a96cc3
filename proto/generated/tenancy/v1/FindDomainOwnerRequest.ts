// Original file: tenancy/v1/service.proto


export interface FindDomainOwnerRequest__Input {
  'address'?: (string);
}

export interface FindDomainOwnerRequest {
  'address': (string);
}
