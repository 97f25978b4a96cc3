// Original file: identity/v1/service.proto


export interface ExchangeDirectoryTokenRequest__Input {
  'token'?: (string);
  'organizationId'?: (string);
  'ipAddress'?: (string);
  'userAgent'?: (string);
}

export interface ExchangeDirectoryTokenRequest {
  'token': (string);
  'organizationId': (string);
  'ipAddress': (string);
  'userAgent': (string);
}
