import { fileURLToPath } from 'node:url';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { patienceMs } from '../../../../test/support/until.ts';

const root = fileURLToPath(new URL('../../../../proto/', import.meta.url));
const packages = ['events', 'identity', 'keys', 'rbac', 'revocation', 'tenancy'].map((name) => `${name}/v1/service.proto`);
const options = { defaults: true, longs: Number, enums: String, includeDirs: [root] };

/** Every gRPC method of the repository, as a client of its proto files sees it. */
export const allMethods = Object.entries(loadSync([...packages, 'rbac/v1/authorization.proto'], options)).flatMap(
  ([service, definition]) =>
    'format' in definition ? [] : Object.values<ServiceDefinition[string]>(definition).map((method) => ({ service, ...method })),
);

/** What an application sends: the fields of the proto files, each of them optional. */
export type Asked<Message> = { readonly [Field in keyof Message]?: unknown };
export type Answer<Message> = Message & { readonly code: 'OK' };
export type Refusal = { readonly code: string; readonly details: string; readonly metadata: Metadata };

/** A stranger to the kernel: grpc-js alone, with the metadata that a test gives. */
export function createApplication(address: string) {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.max_send_message_length': 64 * 1024 * 1024 });
  const call = (path: string, metadata: Metadata, request: object | Buffer) => {
    const method = allMethods.find((candidate) => candidate.path === path);
    const serialize = (message: object | Buffer) =>
      Buffer.isBuffer(message) ? message : (method?.requestSerialize(message) ?? Buffer.alloc(0));
    const deserialize = method?.responseDeserialize ?? ((bytes: Buffer) => ({ bytes }));
    return new Promise<{ code: string; details?: string; metadata?: Metadata }>((resolve) => {
      const done = (error: ServiceError | null, value?: object) =>
        resolve(
          error === null
            ? { code: 'OK', ...value }
            : { code: status[error.code] ?? 'none', details: error.details, metadata: error.metadata },
        );
      client.makeUnaryRequest(path, serialize, deserialize, request, metadata, { deadline: Date.now() + patienceMs }, done);
    });
  };
  const withToken = (token: string | undefined): Metadata => {
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    return metadata;
  };
  const ask =
    <Response>(method: string) =>
    (token: string | undefined, request: object | Buffer) =>
      // The parser of what a test looks into.
      call(`/rbac.v1.Authorization/${method}`, withToken(token), request) as Promise<
        Partial<Response> & Partial<Refusal> & { code: string }
      >;
  return {
    call,
    withToken,
    isAuthorized: ask<wire.Decision>('IsAuthorized'),
    isAuthorizedMany: ask<wire.DecisionMany>('IsAuthorizedMany'),
    listPermissions: ask<wire.ListPermissionsResponse>('ListPermissions'),
    findSubjects: ask<wire.FindSubjectsResponse>('FindSubjects'),
    findActions: ask<wire.FindActionsResponse>('FindActions'),
    findResources: ask<wire.FindResourcesResponse>('FindResources'),
    close: () => client.close(),
  };
}
