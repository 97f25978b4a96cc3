// Original file: identity/v1/service.proto


export interface SendMailRequest__Input {
  'messageId'?: (string);
  'to'?: (string);
  'template'?: (string);
  'language'?: (string);
  'dataJson'?: (string);
}

export interface SendMailRequest {
  'messageId': (string);
  'to': (string);
  'template': (string);
  'language': (string);
  'dataJson': (string);
}
