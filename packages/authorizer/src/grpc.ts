/** rbac.v1.Authorization over gRPC: the fastest way, and the one for services inside. */
import { type ChannelCredentials, Client, credentials, Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { Credential } from './credentials.ts';
import { AuthorizerError, type AuthorizerErrorCode } from './errors.ts';
import { contract } from './generated/contract.ts';
import type { Decision, PermissionGrant, Question, Transport, Whose } from './question.ts';

export type GrpcOptions = {
  /** `host:port` or `unix:<path>`: GATEWAY_GRPC_LISTEN of the gateway, or GRPC_LISTEN of rbac. */
  readonly address: string;
  readonly credential: Credential;
  /** TLS, and with `cert` and `key` mutual TLS. PEM texts. Without it the connection is h2c. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly timeoutMs?: number;
};

type Method = MethodDefinition<object, object>;
type WireDecision = {
  readonly authorized: boolean;
  readonly reason: string;
  readonly matchedPermissionJson?: string;
  readonly matchedConditionJson?: string;
  readonly evaluatedContextJson?: string;
};

const mostQuestions = 1_000;

/** Once more when there was no connection: the methods change nothing. */
const channelOptions = {
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      {
        name: [{ service: 'rbac.v1.Authorization' }],
        retryPolicy: {
          maxAttempts: 2,
          initialBackoff: '0.1s',
          maxBackoff: '0.1s',
          backoffMultiplier: 1,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  }),
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
};

/** Connects at the first question. */
export function grpcTransport({ address, credential, tls, timeoutMs = 2_000 }: GrpcOptions): Transport {
  const { 'rbac.v1.Authorization': methods } = fromJSON(contract, { defaults: true, longs: Number, enums: String, oneofs: false });
  const client = new Client(address.startsWith('unix:') ? address : `dns:${address}`, channelCredentials(tls), channelOptions);

  const send = (method: Method, request: object, header: readonly [string, string]): Promise<object> =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      metadata.set(...header);
      const deadline = Date.now() + timeoutMs;
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, answer) => (error === null && answer !== undefined ? resolve(answer) : reject(refusalOf(error))),
      );
    });
  const call = async (name: string, request: object): Promise<object> => {
    const method = (methods as unknown as Record<string, Method>)[name];
    if (method === undefined) throw new AuthorizerError('INTERNAL', `authorization.proto has no ${name}`);
    if (credential.kind === 'service') return send(method, request, ['x-tessera-service', credential.headerFor(method.path)]);
    const bearer = async (isRefused: boolean) => ['authorization', `Bearer ${await credential.read(isRefused)}`] as const;
    try {
      return await send(method, request, await bearer(false));
    } catch (error) {
      if (!(error instanceof AuthorizerError && error.code === 'UNAUTHENTICATED')) throw error;
      return send(method, request, await bearer(true));
    }
  };

  return {
    mostQuestions,
    async ask(questions, isExplained) {
      const { decisions } = (await call('IsAuthorizedMany', { checks: questions.map(toCheck), explain: isExplained })) as {
        readonly decisions: readonly WireDecision[];
      };
      return decisions.map(fromWire);
    },
    async listPermissions(whose) {
      const { permissions } = (await call('ListPermissions', whoseToWire(whose))) as {
        readonly permissions: readonly { resource: string; action: string; conditionJson?: string }[];
      };
      return permissions.map(
        ({ resource, action, conditionJson }): PermissionGrant => ({ resource, action, ...parsed('condition', conditionJson) }),
      );
    },
    close: () => client.close(),
  };
}

function channelCredentials(tls: GrpcOptions['tls']): ChannelCredentials {
  return tls === undefined ? credentials.createInsecure() : credentials.createSsl(tls.ca, tls.key, tls.cert);
}

function whoseToWire({ userToken, subject, scope, consistencyToken }: Whose): object {
  return { userToken, subject, scope, consistencyToken };
}

function toCheck({ resource, action, target, noCache = false, ...whose }: Question): object {
  return { ...whoseToWire(whose), resource, action, targetJson: target === undefined ? '' : JSON.stringify(target), noCache };
}

function parsed(name: string, json: string | undefined): object {
  return json === undefined || json === '' ? {} : { [name]: JSON.parse(json) };
}

function fromWire({ authorized, reason, ...explained }: WireDecision): Decision {
  return Object.freeze({
    authorized,
    reason,
    ...parsed('matchedPermission', explained.matchedPermissionJson),
    ...parsed('matchedCondition', explained.matchedConditionJson),
    ...parsed('evaluatedContext', explained.evaluatedContextJson),
  });
}

const codes: Partial<Record<status, AuthorizerErrorCode>> = {
  [status.UNAUTHENTICATED]: 'UNAUTHENTICATED',
  [status.PERMISSION_DENIED]: 'PERMISSION_DENIED',
  [status.INVALID_ARGUMENT]: 'INVALID_ARGUMENT',
  [status.RESOURCE_EXHAUSTED]: 'RESOURCE_EXHAUSTED',
  [status.UNAVAILABLE]: 'UNAVAILABLE',
  [status.DEADLINE_EXCEEDED]: 'DEADLINE_EXCEEDED',
};

function refusalOf(error: ServiceError | null): AuthorizerError {
  if (error === null) return new AuthorizerError('INTERNAL', 'there is no answer');
  const seconds = Number(error.metadata?.get('retry-after')[0] ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  return new AuthorizerError(codes[error.code] ?? 'INTERNAL', error.details, { cause: error, retryAfterSeconds });
}
