// Transient state of a session that is not in the log: its queue position and a retried model request.
import { type EventOfType, isDurable, type QueuePosition, type StreamedEvent } from '@quarterdeck/protocol'

export interface Retry {
  readonly attempt: number
  readonly maxRetries: number
  readonly error: string
  /** The time of the next attempt, in milliseconds since 1970. */
  readonly nextAt: number
}

export interface TransientState {
  /** `null` when the session is not queued. */
  readonly queuePosition: QueuePosition | null
  readonly retry: Retry | null
}

export const emptyTransientState: TransientState = { queuePosition: null, retry: null }

export function foldTransientState(transient: TransientState, events: readonly StreamedEvent[]): TransientState {
  let { queuePosition, retry } = transient
  for (const event of events) {
    if (event.type === 'QueuePlaceChanged') queuePosition = event.data.queuePosition
    else if (event.type === 'ModelRequestRetrying') retry = retryOf(event)
    else if (endsRetry(event)) retry = null
  }
  return queuePosition === transient.queuePosition && retry === transient.retry ? transient : { queuePosition, retry }
}

function retryOf({ at, data }: EventOfType<'ModelRequestRetrying'>): Retry {
  const { attempt, maxRetries, error, delayMs } = data
  return { attempt, maxRetries, error, nextAt: Date.parse(at) + delayMs }
}

/** The model has responded, or the turn has ended. */
function endsRetry(event: StreamedEvent): boolean {
  if (!isDurable(event)) return event.type === 'AgentStreamToken'
  return [
    'AgentThought',
    'AgentThinking',
    'SubagentThought',
    'AgentInvokedTool',
    'UsageRecorded',
    'TurnEnded',
  ].includes(event.type)
}
