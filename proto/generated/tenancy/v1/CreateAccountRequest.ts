// Original file: /work/trees/grpc/proto/tenancy/v1/service.proto


export interface CreateAccountRequest__Input {
  'userId'?: (string);
  'type'?: (string);
}

export interface CreateAccountRequest {
  'userId': (string);
  'type': (string);
}
