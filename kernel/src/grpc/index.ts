export type { Arrival } from './admission.ts';
export { createBatcher } from './batcher.ts';
export { connect, type GrpcClient } from './client.ts';
export type { ServiceName } from './contract.ts';
export { createCredentialIssuer, createCredentialVerifier, credentialHeader } from './credential.ts';
export type { GrpcTls } from './security.ts';
export { type Call, type Door, type GrpcServer, type Handlers, type Implementation, implement, serveGrpc } from './server.ts';
