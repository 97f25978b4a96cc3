import { type Metadata, ServerInterceptingCall, type ServerInterceptingCallInterface, type ServerInterceptor, status } from '@grpc/grpc-js';
import { credentialHeader } from './credential.ts';
import { isNamed } from './security.ts';
import { healthPath } from './standard.ts';
import { toStatus } from './status.ts';

/** The calling service, or the application that a service has let in by itself. */
export type Caller = { readonly name: string; readonly application?: object };

/** The path, headers and peer of a call whose message has not been read yet. */
export type Arrival = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly peer: string;
  /** The service that passes the application's call on, proven by its own credential. */
  readonly carrier: string | undefined;
  /** The client's address, as that service says. */
  readonly forwardedFor: string | undefined;
};

/** Lets an application in, or throws the AppError that it gets. */
export type Admit = (arrival: Arrival) => Promise<object>;

/**
 * The credential of the service that passes an application's call on. It is bound to this, not to
 * the method: alone it opens nothing.
 */
export const carrierHeader = 'x-tessera-carrier';
export function carried(path: string): string {
  return `carry ${path}`;
}

const longestHeader = 512;
const longestAuthorization = 8_192 + 'Bearer '.length;

/** A header of the caller; one that is empty, too long or given twice counts as missing. */
export function header(metadata: Metadata, name: string, longest = longestHeader): string | undefined {
  const [value, ...others] = metadata.get(name);
  return typeof value === 'string' && value !== '' && value.length <= longest && others.length === 0 ? value : undefined;
}

const admitted = new WeakMap<Metadata, Caller>();
export function callerOf(metadata: Metadata): Caller {
  const caller = admitted.get(metadata);
  if (caller === undefined) throw new Error('the call was not admitted');
  return caller;
}

type Options = {
  readonly verify: (credential: string | undefined, path: string) => string | undefined;
  /** By the path of the service, `/rbac.v1.Authorization`. */
  readonly doors: ReadonlyMap<string, Admit>;
  readonly refused: (path: string, code: status) => void;
};

/** Knows the caller before a message is read: what a stranger sends is neither kept nor decoded. */
export function admission({ verify, doors, refused }: Options): ServerInterceptor {
  const identify = (metadata: Metadata, path: string, call: ServerInterceptingCallInterface): Caller | undefined | Promise<Caller> => {
    const certificate = call.getAuthContext().sslPeerCertificate;
    // With mutual TLS the certificate must name the caller too: the secret alone is not enough.
    const proven = (name: string, bound: string): string | undefined => {
      const caller = verify(header(metadata, name), bound);
      return caller === undefined || certificate === undefined || isNamed(caller, certificate) ? caller : undefined;
    };
    const admit = doors.get(path.slice(0, path.lastIndexOf('/')));
    const isApplication = metadata.get('authorization').length > 0 || metadata.get(credentialHeader).length === 0;
    if (admit !== undefined && isApplication) {
      const authorization = header(metadata, 'authorization', longestAuthorization);
      const carrier = proven(carrierHeader, carried(path));
      const forwardedFor = header(metadata, 'x-forwarded-for');
      return admit({ path, authorization, peer: call.getPeer(), carrier, forwardedFor }).then((application) => ({
        name: 'application',
        application,
      }));
    }
    const service = proven(credentialHeader, path);
    if (service === undefined && !path.startsWith(healthPath)) return undefined;
    return { name: service ?? 'probe' };
  };
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, read) => {
            const refuse = (answer: Parameters<typeof call.sendStatus>[0] & { code: status }): void => {
              refused(path, answer.code);
              call.sendStatus(answer);
            };
            const accept = (caller: Caller): void => {
              admitted.set(metadata, caller);
              read(metadata);
            };
            const caller = identify(metadata, path, call);
            if (caller instanceof Promise) caller.then(accept, (error: unknown) => refuse(toStatus(error)));
            else if (caller === undefined) refuse({ code: status.UNAUTHENTICATED, details: 'service credential' });
            else accept(caller);
          },
        }),
    });
}
