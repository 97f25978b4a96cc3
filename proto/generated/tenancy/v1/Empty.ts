// Original file: /work/trees/grpc/proto/tenancy/v1/service.proto


export interface Empty__Input {
}

export interface Empty {
}
