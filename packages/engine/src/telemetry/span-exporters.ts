// The span exporters of each agent. An agent file may change while its turns run: those turns keep their exporter,
// which closes when the last of them has ended.
import { createHash } from 'node:crypto'
import type { TraceSettings } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import { postSpans } from './post-spans.ts'
import type { Span } from './span.ts'
import { createSpanQueue, type SpanQueue } from './span-queue.ts'

export interface SpanExporter {
  add(span: Span): void
  /** The holder adds no more spans. */
  release(): void
}

export interface ExporterRequest {
  readonly agentName: string
  readonly settings: TraceSettings
  readonly headers: Readonly<Record<string, string>>
}

interface OpenExporter {
  /** Hash of the settings and the header values, which are stored nowhere else. */
  readonly fingerprint: string
  readonly queues: readonly SpanQueue[]
  users: number
  isReplaced: boolean
}

export function createSpanExporters({ logger }: { readonly logger: Logger }) {
  const current = new Map<string, OpenExporter>()
  /** Replaced exporters that are still in use, and those that are closing. */
  const replaced = new Set<OpenExporter>()

  async function closeExporter({ queues }: OpenExporter): Promise<void> {
    await Promise.all(queues.map((queue) => queue.close()))
  }

  function closeIfOver(exporter: OpenExporter): void {
    if (!exporter.isReplaced || exporter.users > 0) return
    void closeExporter(exporter).then(() => replaced.delete(exporter))
  }

  function exporterFor({ agentName, settings, headers }: ExporterRequest): OpenExporter {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([settings, headers]))
      .digest('hex')
    const known = current.get(agentName)
    if (known?.fingerprint === fingerprint) return known
    const exporter = { fingerprint, queues: queuesOf(settings, headers, logger), users: 0, isReplaced: false }
    current.set(agentName, exporter)
    if (known !== undefined) {
      known.isReplaced = true
      replaced.add(known)
      closeIfOver(known)
    }
    return exporter
  }

  return {
    take(request: ExporterRequest): SpanExporter {
      const exporter = exporterFor(request)
      exporter.users += 1
      return {
        add(span) {
          for (const queue of exporter.queues) queue.add(span)
        },
        release() {
          exporter.users -= 1
          closeIfOver(exporter)
        },
      }
    },
    /** Sends waiting spans, for a bounded time. */
    async close() {
      await Promise.all([...replaced, ...current.values()].map(closeExporter))
    },
  }
}

function queuesOf(settings: TraceSettings, headers: Readonly<Record<string, string>>, logger: Logger) {
  const { serviceName, resource, otlp, queue } = settings
  const queues: SpanQueue[] = []
  const attributes = { ...resource, 'service.name': serviceName }
  if (otlp !== null) {
    const { endpoint, timeoutMs, compression } = otlp
    const receiver = { endpoint, headers, timeoutMs, compression, resource: attributes }
    queues.push(createSpanQueue({ ...queue, logger, send: (spans, signal) => postSpans(receiver, spans, signal) }))
  }
  if (settings.console) {
    const send = async (spans: readonly Span[]) => {
      for (const span of spans) logger.info({ service: serviceName, ...span }, 'span')
      return { type: 'taken' } as const
    }
    queues.push(createSpanQueue({ ...queue, logger, send }))
  }
  return queues
}
