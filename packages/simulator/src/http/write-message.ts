// Writes a message, whole or streamed with pauses, with the faults that occur in the middle.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AssistantMessage } from '@quarterdeck/model'
import { sleep } from '@quarterdeck/protocol'
import type { Fault } from '../faults/fault.ts'
import type { WireFormat } from '../wires/wire-format.ts'

export interface WriteMessageOptions {
  readonly wire: WireFormat
  readonly message: AssistantMessage
  readonly fault: Fault | null
  /** Pause between two deltas. */
  readonly paceMs: number
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the client leaves or the simulator closes. */
  readonly signal: AbortSignal
  /** Called before the client gets the whole usage. */
  readonly onUsageSent: () => void
}

type MidStreamFault = Extract<Fault, { after_deltas: number }>

/** The client may leave in the middle, or a fault may close the connection. */
export async function writeStream(response: ServerResponse, options: WriteMessageOptions): Promise<void> {
  const { wire, message, fault, paceMs, signal } = options
  const cut = fault !== null && 'after_deltas' in fault ? fault : null
  response.writeHead(200, { ...options.headers, 'content-type': 'text/event-stream; charset=utf-8' })
  let deltas = 0
  for (const frame of wire.frames(message)) {
    if (signal.aborted) return
    if (cut && deltas >= cut.after_deltas && !frame.isOpening) return breakStream(response, cut, options)
    if (frame.endsUsage) options.onUsageSent()
    const canWriteMore = response.write(frame.text)
    if (!canWriteMore) await once(response, 'drain', { signal }).catch(() => undefined)
    if (!frame.isDelta) continue
    deltas += 1
    if (paceMs > 0) await sleep(paceMs, signal)
  }
  response.end()
}

export async function writeWhole(response: ServerResponse, options: WriteMessageOptions): Promise<void> {
  const { wire, message, fault, signal } = options
  const cut = fault !== null && 'after_deltas' in fault ? fault : null
  const body = JSON.stringify(wire.body(message))
  const length = String(Buffer.byteLength(body))
  response.writeHead(200, { ...options.headers, 'content-type': 'application/json', 'content-length': length })
  if (cut === null) {
    options.onUsageSent()
    response.end(body)
    return
  }
  if (cut.type === 'malformed_sse') {
    response.end(`${'{'.repeat(Number(length))}`)
    return
  }
  response.write(body.slice(0, Math.ceil(body.length / 2)))
  return cut.type === 'stall' ? waitForever(signal) : reset(response)
}

async function breakStream(
  response: ServerResponse,
  fault: MidStreamFault,
  options: WriteMessageOptions,
): Promise<void> {
  switch (fault.type) {
    case 'stall':
      return waitForever(options.signal)
    case 'reset_mid_stream':
      return reset(response)
    case 'malformed_sse':
      response.end(options.wire.malformedFrame)
      return
    case 'error_event':
      response.end(options.wire.errorFrame({ type: fault.error, message: fault.message }))
      return
  }
}

async function waitForever(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

// A reader that receives the reset together with earlier data drops that data, so it gets time to read.
async function reset(response: ServerResponse): Promise<void> {
  await sleep(100)
  response.socket?.resetAndDestroy()
}
