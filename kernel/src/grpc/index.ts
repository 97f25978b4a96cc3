export { createBatcher } from './batcher.ts';
export { connect, type GrpcClient } from './client.ts';
export type { ServiceName } from './contract.ts';
export { CREDENTIAL_HEADER, createCredentialIssuer, createCredentialVerifier } from './credential.ts';
export type { Call } from './perform.ts';
export type { GrpcTls } from './security.ts';
export { type GrpcServer, type Handlers, type Implementation, implement, serveGrpc } from './server.ts';
