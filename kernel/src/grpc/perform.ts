import { status } from '@grpc/grpc-js';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { acceptTraceparent, type Metrics, requestContext, withSpan } from '../telemetry/index.ts';
import type { createCredentialVerifier } from './credential.ts';
import { type Failure, toFailure } from './status.ts';

/** Who calls, on whose behalf in the log, and until when an answer is of use. */
export type Call = {
  readonly caller: string;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly deadline: Date;
};

export type Handler = (request: object, call: Call) => Promise<object>;

/** `path`: '/rbac.v1.Authorization/IsAuthorized' */
export type Method = { readonly path: string; readonly handle: Handler };

/** What came along with a request, believed only as far as it goes. */
export type Told = {
  readonly credential?: string | undefined;
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly deadline: number;
};

export type Outcome = { readonly response: object } | { readonly failure: Failure };
/** Verifies the caller, runs the method in the request's context, measures and logs; never rejects. */
export type Perform = (method: Method, request: object, told: Told) => Promise<Outcome>;

type Options = {
  readonly verify: ReturnType<typeof createCredentialVerifier>;
  readonly logger?: { error(fields: object, message: string): void };
  readonly observe?: Metrics['observeCall'];
};

/** A caller that sets no deadline gets this one. */
const LONGEST_CALL_MS = 30_000;
const LONGEST_TOLD = 512;
function short(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text.length > LONGEST_TOLD ? undefined : text;
}

export function createPerform({ verify, logger, observe }: Options): Perform {
  return async ({ path, handle }, request, { credential, requestId, traceparent, deadline }) => {
    const caller = verify(short(credential), path);
    if (caller === undefined) return { failure: { code: status.UNAUTHENTICATED, details: 'service credential' } };
    const call: Call = {
      caller,
      requestId: short(requestId) ?? newId(),
      traceparent: acceptTraceparent(short(traceparent)),
      deadline: new Date(Math.min(deadline, Date.now() + LONGEST_CALL_MS)),
    };
    const work = () => withSpan(path, { kind: 'server', attributes: { 'rpc.system': 'grpc' } }, async () => handle(request, call));
    const beganAt = performance.now();
    const end = (code: status, outcome: Outcome): Outcome => {
      observe?.({ caller, method: path, status: code, seconds: (performance.now() - beganAt) / 1_000 });
      return outcome;
    };
    try {
      return end(status.OK, { response: await requestContext.run(call, work) });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'internal')
        logger?.error({ err: error, method: path, caller }, 'gRPC call failed');
      const failure = toFailure(error);
      return end(failure.code, { failure });
    }
  };
}
