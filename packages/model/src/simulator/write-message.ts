// Puts a message on the wire, whole or streamed, at a reading pace, with the faults that strike in the middle.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AssistantMessage, messageBody, messageEvents } from '../wire/anthropic/message.ts'
import { encodeSseFrame } from '../wire/sse-frame.ts'
import type { Fault } from './fault.ts'

export type Delivery = {
  readonly message: AssistantMessage
  readonly fault: Fault | null
  /** Pause between two deltas. */
  readonly paceMs: number
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the client leaves or the simulator closes. */
  readonly signal: AbortSignal
  /** Called before the client is told the whole usage. */
  readonly onTold: () => void
}

type MidStreamFault = Extract<Fault, { after_deltas: number }>

/** The client may leave in the middle, or a fault may cut it. */
export async function writeStream(response: ServerResponse, delivery: Delivery): Promise<void> {
  const { message, fault, paceMs, signal } = delivery
  const cut = fault !== null && 'after_deltas' in fault ? fault : null
  response.writeHead(200, { ...delivery.headers, 'content-type': 'text/event-stream; charset=utf-8' })
  let deltas = 0
  for (const event of messageEvents(message)) {
    if (signal.aborted) return
    if (cut && deltas >= cut.after_deltas && event.type !== 'message_start') return breakStream(response, cut, signal)
    if (event.type === 'message_delta') delivery.onTold()
    const hasRoom = response.write(encodeSseFrame(event.type, event))
    if (event.type === 'message_start') response.write(encodeSseFrame('ping', { type: 'ping' }))
    if (!hasRoom) await once(response, 'drain', { signal }).catch(() => undefined)
    if (event.type !== 'content_block_delta') continue
    deltas += 1
    if (paceMs > 0) await sleep(paceMs, undefined, { signal }).catch(() => undefined)
  }
  response.end()
}

export async function writeWhole(response: ServerResponse, delivery: Delivery): Promise<void> {
  const { message, fault, signal } = delivery
  const cut = fault !== null && 'after_deltas' in fault ? fault : null
  const body = JSON.stringify(messageBody(message))
  const length = String(Buffer.byteLength(body))
  response.writeHead(200, { ...delivery.headers, 'content-type': 'application/json', 'content-length': length })
  if (cut === null) {
    delivery.onTold()
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

async function breakStream(response: ServerResponse, fault: MidStreamFault, signal: AbortSignal): Promise<void> {
  switch (fault.type) {
    case 'stall':
      return waitForever(signal)
    case 'reset_mid_stream':
      return reset(response)
    case 'malformed_sse':
      response.end('event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type"\n\n')
      return
    case 'error_event': {
      const error = { type: 'error', error: { type: fault.error, message: fault.message } }
      response.end(encodeSseFrame('error', error))
      return
    }
  }
}

async function waitForever(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

// What was written leaves the kernel before the reset would throw it away.
async function reset(response: ServerResponse): Promise<void> {
  await sleep(10)
  response.socket?.resetAndDestroy()
}
