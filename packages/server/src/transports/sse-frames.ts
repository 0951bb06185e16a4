import { isDurable, type StreamedEvent } from '@quarterdeck/protocol'

/** Every reader of a live event is handed the same array: it is written out once for all of them. */
const written = new WeakMap<readonly StreamedEvent[], Uint8Array>()

export function framesOf(events: readonly StreamedEvent[]): Uint8Array {
  const known = written.get(events)
  if (known !== undefined) return known
  const bytes = Buffer.from(events.map(frameOf).join(''))
  written.set(events, bytes)
  return bytes
}

/** No `event:` field: a plain EventSource listens to unnamed messages. Only what the log holds moves the cursor. */
function frameOf(event: StreamedEvent): string {
  const id = isDurable(event) ? `id: ${event.seq}\n` : ''
  return `${id}data: ${JSON.stringify(event)}\n\n`
}
