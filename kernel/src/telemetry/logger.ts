import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';
import { requestContext } from './context.ts';
import { createOutages } from './outages.ts';
import { createRedactor, secretFields } from './redact.ts';

type Options = {
  readonly service: string;
  readonly level: string;
  /** Names of further fields to hide: those that the service's schemas mark. */
  readonly secretFields?: readonly string[];
  readonly destination?: DestinationStream;
};

export type { Logger } from 'pino';

/** The process ends after it: such a line is never left out. */
const fatal = 60;

function errorOf(details: unknown): unknown {
  return typeof details === 'object' && details !== null && 'err' in details ? details.err : undefined;
}

/**
 * One JSON line per event on standard output, with its request and without secrets. An outage that
 * fails everything is one line a second.
 */
export function createLogger({ service, level, secretFields: marked = [], destination: output }: Options): Logger {
  const names = [...secretFields, ...marked];
  const redact = createRedactor(names);
  // Bindings of child loggers pass no formatter, only serializers.
  const censors = Object.fromEntries(names.map((name) => [name, () => '[redacted]']));
  // `code` of an error is its kind (23505, ECONNREFUSED), not a one-time code.
  const redactError = createRedactor(names.filter((name) => name !== 'code'));
  const outages = createOutages();
  return pino(
    {
      level,
      base: { service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      mixin: () => {
        const context = requestContext.getStore();
        return context === undefined
          ? {}
          : { requestId: context.requestId, ...(context.traceparent ? { traceId: context.traceparent.slice(3, 35) } : {}) };
      },
      hooks: {
        logMethod(args, write, level) {
          const line = level >= fatal ? { leftOut: 0 } : outages.admit(errorOf(args[0]));
          if (line === undefined) return;
          if (line.leftOut > 0) Object.assign(args, [{ ...Object(args[0]), leftOut: line.leftOut }]);
          write.apply(this, args);
        },
      },
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { ...censors, err: (error: Error) => redactError({ ...stdSerializers.err(error) }) },
    },
    output ?? destination({ sync: false }),
  );
}
