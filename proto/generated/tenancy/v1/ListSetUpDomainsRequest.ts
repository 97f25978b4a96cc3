// Original file: tenancy/v1/service.proto


export interface ListSetUpDomainsRequest__Input {
  'organizationId'?: (string);
  'linkId'?: (string);
}

export interface ListSetUpDomainsRequest {
  'organizationId': (string);
  'linkId': (string);
}
