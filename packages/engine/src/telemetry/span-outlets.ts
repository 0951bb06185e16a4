// Where the spans of each agent go. An agent's file may be edited while its turns run: those go on to where they began, and
// the line there is closed when the last of them has ended.
import { createHash } from 'node:crypto'
import type { TraceSettings } from '@quarterdeck/protocol'
import type { Logger } from './logger.ts'
import { postSpans } from './post-spans.ts'
import type { Span } from './span.ts'
import { createSpanQueue, type SpanQueue } from './span-queue.ts'

export interface Outlet {
  add(span: Span): void
  /** Whoever took it adds nothing more. */
  release(): void
}

export interface OutletWish {
  readonly agentName: string
  readonly settings: TraceSettings
  readonly headers: Readonly<Record<string, string>>
}

export interface SpanOutlets {
  take(wish: OutletWish): Outlet
  /** Hands on what waits, for a bounded time. */
  close(): Promise<void>
}

interface OpenOutlet {
  /** Of the settings and the values of the headers, which are kept nowhere else. */
  readonly fingerprint: string
  readonly queues: readonly SpanQueue[]
  takers: number
  isReplaced: boolean
}

export function createSpanOutlets({ logger }: { readonly logger: Logger }): SpanOutlets {
  const current = new Map<string, OpenOutlet>()
  /** Replaced ones with takers, and those that are being closed. */
  const replaced = new Set<OpenOutlet>()

  async function closeOutlet({ queues }: OpenOutlet): Promise<void> {
    await Promise.all(queues.map((queue) => queue.close()))
  }

  function closeIfOver(outlet: OpenOutlet): void {
    if (!outlet.isReplaced || outlet.takers > 0) return
    void closeOutlet(outlet).then(() => replaced.delete(outlet))
  }

  function outletOf({ agentName, settings, headers }: OutletWish): OpenOutlet {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([settings, headers]))
      .digest('hex')
    const known = current.get(agentName)
    if (known?.fingerprint === fingerprint) return known
    const outlet = { fingerprint, queues: queuesOf(settings, headers, logger), takers: 0, isReplaced: false }
    current.set(agentName, outlet)
    if (known !== undefined) {
      known.isReplaced = true
      replaced.add(known)
      closeIfOver(known)
    }
    return outlet
  }

  return {
    take(wish) {
      const outlet = outletOf(wish)
      outlet.takers += 1
      return {
        add(span) {
          for (const queue of outlet.queues) queue.add(span)
        },
        release() {
          outlet.takers -= 1
          closeIfOver(outlet)
        },
      }
    },
    async close() {
      await Promise.all([...replaced, ...current.values()].map(closeOutlet))
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
