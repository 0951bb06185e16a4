// The requests and answers of the simulator: the counterpart of the gateway's bookings.
import { addUsage, noUsage } from '@quarterdeck/model'
import type { TokenUsage } from '@quarterdeck/protocol'

export interface ServedRequest {
  readonly number: number
  readonly wire: 'anthropic' | 'openai'
  readonly requestedModel: string
  readonly stream: boolean
  readonly isSubagent: boolean
  readonly lastUserText: string
  readonly toolsOffered: readonly string[]
  /** The rule or step that answered; null if none did or a fault came first. */
  readonly answeredBy: string | null
  readonly fault: string | null
  readonly status: number | null
  readonly messageId: string | null
  /** The usage sent to the client so far: all of it for a whole answer, the opening counts for a broken one. */
  readonly usage: TokenUsage | null
}

export interface ServedEmbedding {
  readonly model: string
  readonly inputs: readonly string[]
  readonly tokens: number
  readonly dimensions: number
}

export interface Served {
  /** Of the texts that became vectors, the newest thousand requests. */
  readonly embeddings: readonly ServedEmbedding[]
  readonly requests: readonly ServedRequest[]
  readonly unmatched: readonly string[]
  readonly usage: TokenUsage
}

const maxLogged = 1000

export type ServedLog = ReturnType<typeof createServedLog>

/** Totals cover all requests; single requests are kept for the newest thousand. */
export function createServedLog() {
  let requests: ServedRequest[] = []
  let unmatched: string[] = []
  let embeddings: ServedEmbedding[] = []
  let droppedUsage = noUsage

  function open(request: ServedRequest): (change: Partial<ServedRequest>) => void {
    let current = request
    requests.push(current)
    if (requests.length > maxLogged) {
      const dropped = requests.slice(0, requests.length - maxLogged)
      droppedUsage = dropped.reduce((sum, each) => addUsage(sum, each.usage ?? noUsage), droppedUsage)
      requests = requests.slice(-maxLogged)
    }
    return (change) => {
      const at = requests.indexOf(current)
      current = { ...current, ...change }
      if (at !== -1) requests[at] = current
    }
  }

  return {
    open,
    noteUnmatched(message: string): void {
      unmatched = [...unmatched, message].slice(-maxLogged)
    },
    noteEmbedding(embedding: ServedEmbedding): void {
      embeddings = [...embeddings, embedding].slice(-maxLogged)
    },
    read(): Served {
      const usage = requests.reduce((sum, each) => addUsage(sum, each.usage ?? noUsage), droppedUsage)
      return { embeddings: [...embeddings], requests: [...requests], unmatched: [...unmatched], usage }
    },
  }
}
