/** The services of proto/. Unlike the loader alone, it refuses a missing message field. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyDefinition, IdempotencyLevel, loadSync, type PackageDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import type { Services } from './generated/services.ts';

export type ServiceName = keyof Services & string;

const includeDirs = [dirname(fileURLToPath(import.meta.url))];
const files = [
  ...['audit', 'events', 'identity', 'keys', 'rbac', 'revocation', 'tenancy'].map((name) => `${name}/v1/service.proto`),
  'rbac/v1/authorization.proto',
];
const load = (names: readonly string[]) => loadSync([...names], { defaults: true, longs: Number, enums: String, includeDirs });
const definitions = load(files);

/** The loader fills in a default for each field but a message: one that is missing is null. */
function requireMessages(value: object): void {
  for (const [name, part] of Object.entries(value)) {
    if (part === null) throw new Error(`${name} is missing`);
    if (typeof part === 'object') requireMessages(part);
  }
}

function checked(deserialize: (bytes: Buffer) => object): (bytes: Buffer) => object {
  return (bytes) => {
    const message = deserialize(bytes);
    requireMessages(message);
    return message;
  };
}

function checkedService(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.values(definition).map((method) => [
    method.originalName,
    {
      ...method,
      requestDeserialize: checked(method.requestDeserialize),
      responseDeserialize: checked(method.responseDeserialize),
    },
  ]);
  return Object.fromEntries(methods);
}

function isService(definition: AnyDefinition): definition is ServiceDefinition {
  return !('format' in definition);
}

const services = new Map(
  Object.entries(definitions).flatMap(([name, definition]) => (isService(definition) ? [[name, checkedService(definition)]] : [])),
);

export function definitionOf(service: ServiceName): ServiceDefinition {
  const definition = services.get(service);
  if (definition === undefined) throw new Error(`${service} is in no proto file`);
  return definition;
}

/** Reading a file takes tens of milliseconds, and each port of a process shows the same ones. */
const contracts = new Map<string, PackageDefinition>();

function contractOfFiles(names: readonly string[]): PackageDefinition {
  const key = names.join(' ');
  const contract = contracts.get(key) ?? load(names);
  contracts.set(key, contract);
  return contract;
}

/** The files of these services alone, for reflection. */
export function contractOf(names: readonly ServiceName[]): PackageDefinition {
  // The last: a file has the services of those that it imports too.
  return contractOfFiles(names.flatMap((name) => files.findLast((file) => name in contractOfFiles([file])) ?? []));
}

/** Methods that may be sent twice: the proto file marks them with `idempotency_level`. */
export function repeatableMethods(): readonly { readonly service: string; readonly method: string }[] {
  const methods = [...services.values()].flatMap((definition) => Object.values(definition));
  return methods
    .filter(({ options }) => options.idempotency_level !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN)
    .map(({ path }) => {
      const [, service = '', method = ''] = path.split('/');
      return { service, method };
    });
}
