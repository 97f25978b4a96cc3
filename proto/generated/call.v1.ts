// Generated from call/v1/service.proto by `npm run generate`. Do not edit.

export type Call = {
  /** of no other call that is under way on this stream; answers come in any order */
  id: number;
  /** '/keys.v1.Keys/Sign' */
  method: string;
  /** for this method, as a call of its own shows it */
  credential: string;
  requestId: string;
  traceparent?: string | undefined;
  /** from when it is read */
  timeoutMs: number;
  request: Uint8Array;
};

export type Answer = {
  id: number;
  response?: Uint8Array | undefined;
  failure?: Failure | undefined;
};

/** A gRPC status, and what comes along in its metadata. */
export type Failure = {
  code: number;
  details: string;
  /** tessera-error-bin */
  error?: Uint8Array | undefined;
};
