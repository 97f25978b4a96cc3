import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { type RequestContext, requestContext } from './context.ts';

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** One per process, and none without an endpoint: then a span costs one comparison. */
let tracer: Tracer | undefined;

/** The time to send spans; a process that stops waits no longer for its last ones. */
const FAREWELL_MS = 2_000;

type Kind = 'server' | 'client' | 'internal';
const kinds: Readonly<Record<Kind, SpanKind>> = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

function parentOf(traceparent: string | undefined) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

export function acceptTraceparent(value: string | undefined): string | undefined {
  return value !== undefined && TRACEPARENT.test(value) ? value : undefined;
}

/**
 * Closed lists, codes and ids of organizations: never a person, a secret or a client's own words.
 */
type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

type SpanOptions = { readonly kind?: Kind; readonly attributes?: SpanAttributes; readonly links?: readonly string[] };

/** `traceparent` goes into the requests that are sent within the span. */
export type RunningSpan = { readonly traceparent: string; note(attributes: SpanAttributes): void; end(failure?: unknown): void };

/** Undefined without a collector. */
export function startSpan(
  name: string,
  { kind = 'internal', attributes = {}, links = [] }: SpanOptions,
  context: RequestContext | undefined,
): RunningSpan | undefined {
  if (tracer === undefined || context === undefined) return undefined;
  const linked = links.flatMap((traceparent) => trace.getSpanContext(parentOf(traceparent)) ?? []).map((each) => ({ context: each }));
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links: linked }, parentOf(context.traceparent));
  return {
    traceparent: traceparentOf(span),
    note: (more) => void span.setAttributes(more),
    end: (failure) => {
      if (failure !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure instanceof Error ? failure.name : 'unknown' });
      }
      span.end();
    },
  };
}

/** `note` adds attributes to the running span. */
type Work<Result> = (note: RunningSpan['note']) => Promise<Result>;

function noteNothing(): void {}

export function withSpan<Result>(name: string, options: SpanOptions, work: Work<Result>): Promise<Result> {
  const context = requestContext.getStore();
  const span = startSpan(name, options, context);
  return span === undefined || context === undefined ? work(noteNothing) : inSpan(span, context, work);
}

async function inSpan<Result>(span: RunningSpan, context: RequestContext, work: Work<Result>): Promise<Result> {
  try {
    const result = await requestContext.run({ ...context, traceparent: span.traceparent }, () => work(span.note));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Sends spans to `endpoint` (OTLP over HTTP) until `stop`; the SDK is loaded only then. */
export async function startTracing({ service, endpoint }: { readonly service: string; readonly endpoint: string | undefined }) {
  if (endpoint === undefined) return { stop: async (): Promise<void> => undefined };
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tessera-${service}` }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: FAREWELL_MS }))],
  });
  tracer = provider.getTracer('tessera');
  return {
    async stop(): Promise<void> {
      tracer = undefined;
      // A collector that is away, or hangs, holds no stop up, nor makes a failure of it.
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}
