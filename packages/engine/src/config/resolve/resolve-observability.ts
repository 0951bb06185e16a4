// Where the traces of an agent go. The standard OpenTelemetry variables override the file, as every variable does.
import type { TraceSettings } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { isAddress } from '../check/check-endpoint.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { ObservabilityBlock } from '../schema/observability-block.ts'
import type { Environment } from '../yaml/environment.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { secretValues, type Values } from './resolve-variables.ts'

const otlpPath: Path = ['observability', 'exporters', 'otlp']
const headersPath: Path = [...otlpPath, 'headers']
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

type OtlpBlock = NonNullable<NonNullable<ObservabilityBlock['exporters']>['otlp']>

export function resolveObservability(context: AgentContext) {
  const { file, env } = context
  const block = file.observability
  if (block?.enabled == null) warnUnused(context)
  if (block?.enabled !== true || block.traces?.enabled === false) return { settings: null, headers: {}, declared: [] }
  const { traces, exporters } = block
  const otlpBlock = exporters?.otlp
  const variable = addressVariable(env)
  const usesOtlp = otlpBlock == null ? variable !== null : otlpBlock.enabled !== false
  checkQueue(context, block)
  if (otlpBlock != null) checkOtlp(context, otlpBlock)
  if (usesOtlp && variable !== null) checkVariable(context, variable)
  const fromEnvironment = usesOtlp ? headersIn(env) : {}
  /** Values of the headers of every request to the collector. */
  const headers = usesOtlp ? { ...byLowerName(otlpBlock?.headers ?? {}), ...fromEnvironment } : {}
  const { 'service.name': service, ...resource } = block.resource_attributes ?? {}
  const settings: TraceSettings = {
    serviceName: env.OTEL_SERVICE_NAME?.trim() || (block.service_name ?? String(service ?? `quarterdeck-${file.name}`)),
    resource,
    sampleRate: traces?.sample_rate ?? 1,
    capturesContent: traces?.capture_content ?? false,
    queue: {
      maxSpans: traces?.max_queue_size ?? 2048,
      maxBatch: traces?.max_export_batch_size ?? Math.min(512, traces?.max_queue_size ?? 512),
      delayMs: traces?.schedule_delay_millis ?? 2000,
    },
    // Without an exporter, traces go to the log.
    console: exporters?.console?.enabled ?? !usesOtlp,
    otlp: usesOtlp
      ? {
          endpoint: variable?.address ?? tracesAddress(otlpBlock?.endpoint ?? 'http://localhost:4318'),
          headers: Object.keys(headers),
          timeoutMs: otlpBlock?.timeout_ms ?? 30_000,
          compression: otlpBlock?.compression ?? 'none',
        }
      : null,
  }
  const declared = [...secretValues(context, otlpBlock?.headers ?? {}, headersPath), ...Object.values(fromEnvironment)]
  return { settings, headers, declared }
}

interface AddressVariable {
  readonly name: string
  readonly value: string
  /** The complete address of the collector. */
  readonly address: string
}

/** Set if the address comes from the environment. */
function addressVariable(env: Environment): AddressVariable | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim()
  if (own) return { name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', value: own, address: own }
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  return base ? { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: base, address: tracesAddress(base) } : null
}

/** A user who configured a collector but did not enable it would wait for traces in vain. */
function warnUnused({ source, env }: AgentContext): void {
  const variable = addressVariable(env)
  if (variable === null) return
  const message = `${variable.name} is set but no traces are sent: observability.enabled is not true`
  source.report({ severity: 'warning', code: 'config.hint', path: [], message })
}

function tracesAddress(base: string): string {
  const url = base.replace(/\/+$/, '')
  return url.endsWith('/v1/traces') ? url : `${url}/v1/traces`
}

/** Header names are case-insensitive: otherwise the collector would get both spellings. */
const byLowerName = (headers: Values): Values =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Comma-separated `name=value` pairs, percent-encoded. */
function headersIn(env: Environment): Values {
  const written = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? ''
  const pairs = written.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    return at > 0 && headerName.test(name) ? [[name, decoded(pair.slice(at + 1).trim())]] : []
  })
  return byLowerName(Object.fromEntries(pairs))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded: many users write plain values.
    return text
  }
}

function checkQueue({ source }: AgentContext, { traces }: ObservabilityBlock): void {
  const { max_queue_size: queue, max_export_batch_size: batch } = traces ?? {}
  if (batch == null || batch <= (queue ?? 2048)) return
  const path = ['observability', 'traces', 'max_export_batch_size']
  source.refuseValue(path, `"${formatPath(path)}" is greater than max_queue_size: batches are taken from the queue`)
}

/** Does not show the value: it may contain a password. */
function checkVariable({ source }: AgentContext, { name, value }: AddressVariable): void {
  if (isAddress(value)) return
  source.refuse([], `${name} must be an http or https address without a user name or password: use headers`)
}

function checkOtlp({ source }: AgentContext, { endpoint, headers }: OtlpBlock): void {
  const path = [...otlpPath, 'endpoint']
  if (endpoint != null && !isAddress(endpoint)) {
    source.refuseValue(path, `"${formatPath(path)}" must be an address without a user name or password: use headers`)
  } else if (endpoint != null && new URL(endpoint).port === '4317') {
    const message = `"${formatPath(path)}": 4317 is the gRPC port; over HTTP a collector listens on 4318`
    source.report({ severity: 'warning', code: 'config.hint', path, part: 'value', message })
  }
  for (const name of Object.keys(headers ?? {})) {
    const path = [...headersPath, name]
    if (!headerName.test(name)) {
      source.refuse(path, `"${formatPath(path)}" is not a valid header name`)
    } else if (!source.substitutions.has(formatPath(path)) && namesSecret(name)) {
      source.warnWrittenSecret(path)
    }
  }
}
