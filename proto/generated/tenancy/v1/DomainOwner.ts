// Original file: tenancy/v1/service.proto


export interface DomainOwner__Input {
  'organizationId'?: (string);
  '_organizationId'?: "organizationId";
}

export interface DomainOwner {
  'organizationId'?: (string);
}
