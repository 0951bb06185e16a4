// Whom an agent's turns are told to. The standard variables of OpenTelemetry win over the file, as every variable does.
import type { TraceSettings } from '@quarterdeck/protocol'
import type { Environment } from './environment.ts'
import { namesSecret } from './names-secret.ts'
import type { ObservabilityBlock } from './observability-block.ts'
import type { AgentContext } from './resolve-agent.ts'
import { secretValues, type Values } from './resolve-variables.ts'
import { formatPath, type Path } from './value-path.ts'

export interface ResolvedObservability {
  readonly settings: TraceSettings | null
  /** Values of what the collector is sent with every request. */
  readonly headers: Values
  readonly declared: readonly string[]
}

const otlpPath: Path = ['observability', 'exporters', 'otlp']
const headersPath: Path = [...otlpPath, 'headers']
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

type OtlpBlock = NonNullable<NonNullable<ObservabilityBlock['exporters']>['otlp']>

export function resolveObservability(context: AgentContext): ResolvedObservability {
  const { file, env } = context
  const block = file.observability
  if (block?.enabled !== true || block.traces?.enabled === false) return { settings: null, headers: {}, declared: [] }
  const { traces, exporters } = block
  const said = exporters?.otlp
  const usesOtlp = said == null ? addressIn(env) !== null : said.enabled !== false
  checkQueue(context, block)
  if (said != null) checkOtlp(context, said)
  const fromEnvironment = usesOtlp ? headersIn(env) : {}
  const headers = usesOtlp ? { ...said?.headers, ...fromEnvironment } : {}
  const settings: TraceSettings = {
    serviceName: env.OTEL_SERVICE_NAME?.trim() || (block.service_name ?? `quarterdeck-${file.name}`),
    resource: block.resource_attributes ?? {},
    sampleRate: traces?.sample_rate ?? 1,
    capturesContent: traces?.capture_content ?? false,
    queue: {
      maxSpans: traces?.max_queue_size ?? 2048,
      maxBatch: traces?.max_export_batch_size ?? Math.min(512, traces?.max_queue_size ?? 512),
      delayMs: traces?.schedule_delay_millis ?? 2000,
    },
    // Whoever asks for traces and says nothing of where to finds them in the log.
    console: exporters?.console?.enabled ?? !usesOtlp,
    otlp: usesOtlp
      ? {
          endpoint: addressIn(env) ?? tracesAddress(said?.endpoint ?? 'http://localhost:4318'),
          headers: Object.keys(headers),
          timeoutMs: said?.timeout_ms ?? 30_000,
          compression: said?.compression ?? 'none',
        }
      : null,
  }
  const declared = [...secretValues(context, said?.headers ?? {}, headersPath), ...Object.values(fromEnvironment)]
  return { settings, headers, declared }
}

/** The collector's whole address, where the environment names it. */
function addressIn(env: Environment): string | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim()
  if (own) return own
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()
  return base ? tracesAddress(base) : null
}

function tracesAddress(base: string): string {
  const url = base.replace(/\/+$/, '')
  return url.endsWith('/v1/traces') ? url : `${url}/v1/traces`
}

/** `name=value` pairs between commas, percent-encoded. */
function headersIn(env: Environment): Values {
  const written = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? ''
  const pairs = written.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    return at > 0 && headerName.test(name) ? [[name, decoded(pair.slice(at + 1).trim())]] : []
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not encoded: many write them as they are.
    return text
  }
}

function checkQueue({ source }: AgentContext, { traces }: ObservabilityBlock): void {
  const { max_queue_size: queue, max_export_batch_size: batch } = traces ?? {}
  if (batch == null || batch <= (queue ?? 2048)) return
  const path = ['observability', 'traces', 'max_export_batch_size']
  const message = `"${formatPath(path)}" is more than max_queue_size: a batch is taken from the queue`
  source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
}

function checkOtlp({ source }: AgentContext, { endpoint, headers }: OtlpBlock): void {
  if (endpoint != null && new URL(endpoint).port === '4317') {
    const path = [...otlpPath, 'endpoint']
    const message = `"${formatPath(path)}": 4317 is the port of gRPC; over HTTP a collector listens on 4318`
    source.report({ severity: 'warning', code: 'config.hint', path, part: 'value', message })
  }
  if (endpoint != null && new URL(endpoint).password !== '') {
    const path = [...otlpPath, 'endpoint']
    const message = `"${formatPath(path)}" must not hold a name or password: use headers`
    source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
  }
  for (const name of Object.keys(headers ?? {})) {
    const path = [...headersPath, name]
    if (!headerName.test(name)) {
      const message = `"${formatPath(path)}" is no name of a header`
      source.report({ severity: 'error', code: 'config.invalid', path, message })
    } else if (!source.substitutions.has(formatPath(path)) && namesSecret(name)) {
      const message = `"${formatPath(path)}" is written in the file: put it into the environment and name the variable`
      source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
    }
  }
}
