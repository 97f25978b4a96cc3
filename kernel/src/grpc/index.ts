export { definitionOf, type ServiceName } from '@tessera/proto/services';
export { type Arrival, carried, carrierHeader } from './admission.ts';
export { createBatcher } from './batcher.ts';
export { connect, type GrpcClient, openChannel } from './client.ts';
export { createCredentialIssuer, createCredentialVerifier, credentialHeader } from './credential.ts';
export type { GrpcTls } from './security.ts';
export { type Call, type Door, type GrpcServer, type Handlers, type Implementation, implement, serveGrpc } from './server.ts';
export { ignoreUnknownMethod } from './unknown-method.ts';
