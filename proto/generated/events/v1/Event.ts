// Original file: events/v1/service.proto


export interface Event__Input {
  'id'?: (string);
  'type'?: (string);
  'key'?: (string);
  'payloadJson'?: (string);
  'occurredAt'?: (string);
}

export interface Event {
  'id': (string);
  'type': (string);
  'key': (string);
  'payloadJson': (string);
  'occurredAt': (string);
}
