// What is true of a session only for the moment: where it stands in line, and a model request that is tried again.
import { type EventOfType, isDurable, type QueuePlace, type StreamedEvent } from '@quarterdeck/protocol'

export interface Retry {
  readonly attempt: number
  readonly maxRetries: number
  readonly error: string
  /** When the next try goes out, in milliseconds since 1970. */
  readonly nextAt: number
}

export interface Moment {
  /** `null` when it does not wait in line. */
  readonly place: QueuePlace | null
  readonly retry: Retry | null
}

export const noMoment: Moment = { place: null, retry: null }

export function foldMoment(moment: Moment, events: readonly StreamedEvent[]): Moment {
  let { place, retry } = moment
  for (const event of events) {
    if (event.type === 'QueuePlaceChanged') place = event.data.place
    else if (event.type === 'ModelRequestRetrying') retry = retryOf(event)
    else if (isSignOfLife(event)) retry = null
  }
  return place === moment.place && retry === moment.retry ? moment : { place, retry }
}

function retryOf({ at, data }: EventOfType<'ModelRequestRetrying'>): Retry {
  const { attempt, maxRetries, error, delayMs } = data
  return { attempt, maxRetries, error, nextAt: Date.parse(at) + delayMs }
}

/** The model has answered, or nobody waits for it any more. */
function isSignOfLife(event: StreamedEvent): boolean {
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
