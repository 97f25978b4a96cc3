// Original file: identity/v1/service.proto


export interface ExchangeDirectoryTokenResponse__Input {
  'accessToken'?: (string);
  'lifetimeSeconds'?: (number);
}

export interface ExchangeDirectoryTokenResponse {
  'accessToken': (string);
  'lifetimeSeconds': (number);
}
