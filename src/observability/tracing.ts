import type { Logger } from 'pino';

/** A part of a trace that goes on. */
export interface TraceSpan {
  child(name: string, attributes: SpanAttributes): TraceSpan;
  end(result?: { name?: string; attributes?: SpanAttributes; error?: unknown }): void;
}

export type SpanAttributes = Record<string, string | number>;

/** OpenTelemetry, as much of it as a request needs. */
export interface Tracing {
  /** @param traceparent what the caller's own trace says (W3C), if there is one */
  request(name: string, attributes: SpanAttributes, traceparent: string | null): TraceSpan;
  /** Sends what is not sent yet, and ends. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** Of an OTLP/HTTP receiver, such as `http://127.0.0.1:4318`. */
  endpoint: string;
  version: string;
  logger: Logger;
}

/** version, trace id, parent id, flags; later versions may have more behind it */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Starts to send traces. The packages are loaded here, as most installations do without. Spans are given their parents
 * by hand, so that no async hooks are needed.
 */
export async function startTracing({ endpoint, version, logger }: TracingOptions): Promise<Tracing> {
  const api = await import('@opentelemetry/api');
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources');
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;

  const warn = (message: string, ...details: unknown[]) => logger.warn({ details }, `traces: ${message}`);
  api.diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, api.DiagLogLevel.WARN);
  const resource = resourceFromAttributes({ 'service.name': 'cardledger', 'service.version': version });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resource),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('cardledger', version);

  const parentOf = (traceparent: string | null) => {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (!traceId || !spanId) return ROOT_CONTEXT;
    const traceFlags = Number.parseInt(flags!, 16);
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };
  type ParentContext = typeof ROOT_CONTEXT;
  const start = (
    name: string,
    kind: (typeof SpanKind)[keyof typeof SpanKind],
    attributes: SpanAttributes,
    parent: ParentContext,
  ): TraceSpan => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return {
      child: (childName, given) => {
        const childKind = 'db.query.text' in given ? SpanKind.CLIENT : SpanKind.INTERNAL;
        return start(childName, childKind, given, trace.setSpan(parent, span));
      },
      end({ name: lastName, attributes: more, error } = {}) {
        if (lastName !== undefined) span.updateName(lastName);
        if (more) span.setAttributes(more);
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return {
    request: (name, attributes, traceparent) =>
      start(name, SpanKind.SERVER, attributes, parentOf(traceparent)),
    stop: () => provider.shutdown(),
  };
}
