// Original file: identity/v1/service.proto


export interface CountProjectAppsResponse__Input {
  'count'?: (number);
}

export interface CountProjectAppsResponse {
  'count': (number);
}
