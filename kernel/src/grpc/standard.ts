/** The standard services of every gRPC port: health, which is open, and reflection. */
import { type Server, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { contractOf, type ServiceName } from '@tessera/proto/services';
import { HealthImplementation } from 'grpc-health-check';

/** These methods need no credential: they say whether the port serves. */
export const healthPath = '/grpc.health.v1.Health/';

const checkedEveryMs = 1_000;
const mostMessages = 100;

type Options = { readonly names: readonly ServiceName[]; readonly shown: readonly ServiceName[]; readonly isReady: () => Promise<boolean> };

/** Adds them to a server. `leave` says NOT_SERVING, so that clients go elsewhere in time. */
export function addStandardServices(server: Server, { names, shown, isReady }: Options): { leave(): void } {
  const health = new HealthImplementation();
  const set = (isServing: boolean): void => {
    for (const name of ['', ...names]) health.setStatus(name, isServing ? 'SERVING' : 'NOT_SERVING');
  };
  const follow = async (): Promise<void> => set(await isReady());
  set(false);
  void follow();
  const timer = setInterval(() => void follow(), checkedEveryMs);
  health.addToServer(server);
  new ReflectionService(contractOf(shown), { services: [...shown] }).addToServer(server);
  return {
    leave() {
      clearInterval(timer);
      set(false);
    },
  };
}

/**
 * Bounds what the two packages keep: for ever each name that was watched, and each answer that the
 * caller does not read.
 */
export function boundStandardServices(names: readonly string[]): ServerInterceptor {
  return ({ path }, call) => {
    if (!path.startsWith('/grpc.')) return new ServerInterceptingCall(call);
    let messages = 0;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMessage: (message, read) => {
            messages += 1;
            if (messages > mostMessages) return call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details: 'too many messages' });
            if (path.startsWith(healthPath) && !['', ...names].includes(message.service)) message.service = 'unknown';
            read(message);
          },
        }),
    });
  };
}
