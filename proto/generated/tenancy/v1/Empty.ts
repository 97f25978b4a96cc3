// Original file: tenancy/v1/service.proto


export interface Empty__Input {
}

export interface Empty {
}
