// One client's end of a WebSocket: bounded both ways, and over when the client, its key or the server goes.
import type { RawData, WebSocket } from 'ws'
import { createFrameQueue, type Frame } from './frame-queue.ts'
import type { StreamTiming } from './stream-deps.ts'

export type { Frame } from './frame-queue.ts'

export interface Socket {
  /** Sends one text frame. False: no more before `room` resolves, or the client is cut off in time. Never throws. */
  send(text: string): boolean
  /** Resolves when there is room, or when the connection is over. */
  drained(): Promise<void>
  /** Everything the client sends, in order, until the connection is over. Who reads slowly makes the client wait. */
  frames(): AsyncIterable<Frame>
  /** Ends the connection behind what was sent. What the client still sends is thrown away. */
  close(code: number, reason: string): void
  /** Aborts when the connection is over, for whatever reason. */
  readonly signal: AbortSignal
}

export interface SocketRules {
  readonly timing: StreamTiming
  /** The largest frame that is read. */
  readonly maxFrameBytes: number
  /** The server goes: the connection is closed, and the client may come back. */
  readonly closing: AbortSignal
  /** The key was revoked or has expired: the connection is closed, and nothing opens with that key again. */
  readonly revoked: AbortSignal | null
}

/** What a client may leave untaken before its sender waits. */
const highWaterMarkBytes = 128 * 1024
/** What senders who do not wait may add to that before the client is cut off. */
const overflowBytes = 10 * highWaterMarkBytes

export function createSocket(ws: WebSocket, rules: SocketRules): Socket {
  const over = new AbortController()
  const queue = createFrameQueue(ws)
  let drainWaiters: (() => void)[] = []
  let taken = 0
  let unheeded = 0
  /** Whoever fills the connection knows it from then on: what it sends in the same go is not held against it. */
  let isAskedToWait = false
  const hasCapacity = () => ws.bufferedAmount < highWaterMarkBytes

  function releaseWaiters(): void {
    const waiters = drainWaiters
    drainWaiters = []
    for (const resolve of waiters) resolve()
  }

  function end(): void {
    clearInterval(beat)
    rules.closing.removeEventListener('abort', closeForShutdown)
    rules.revoked?.removeEventListener('abort', closeForRevokedKey)
    over.abort()
    queue.end()
    releaseWaiters()
  }

  function closeForShutdown(): void {
    close(1001, 'the server goes')
    end()
  }

  function closeForRevokedKey(): void {
    close(1008, 'the key no longer holds')
    end()
  }

  function close(code: number, reason: string): void {
    if (ws.readyState !== ws.OPEN) return
    queue.end()
    const late = setTimeout(() => ws.terminate(), goodbyeMs).unref()
    ws.once('close', () => clearTimeout(late))
    ws.close(code, Buffer.byteLength(reason) <= maxReasonBytes ? reason : reason.slice(0, maxReasonBytes / 3))
  }

  ws.on('message', (data, isBinary) => queue.push(frameOf(data, isBinary, rules.maxFrameBytes)))
  ws.on('ping', (data) => {
    // Who asks without taking the answers would fill the memory with them.
    if (hasCapacity()) ws.pong(data)
  })
  ws.on('error', () => undefined) // a frame against the rules: the library has closed the connection with its code
  ws.on('close', end)
  const look = watch(ws, { taken: () => taken, hasCapacity, stallMs: rules.timing.stallMs })
  const beat = setInterval(look, rules.timing.heartbeatMs).unref()
  rules.closing.addEventListener('abort', closeForShutdown)
  rules.revoked?.addEventListener('abort', closeForRevokedKey)
  if (rules.closing.aborted) closeForShutdown()
  else if (rules.revoked?.aborted === true) closeForRevokedKey()

  return {
    signal: over.signal,
    send(text) {
      if (ws.readyState !== ws.OPEN) return true
      if (hasCapacity()) {
        unheeded = 0
        isAskedToWait = false
      } else if (isAskedToWait) unheeded += text.length
      if (unheeded > overflowBytes) {
        ws.terminate()
        return false
      }
      ws.send(text, () => {
        taken += 1
        if (hasCapacity()) releaseWaiters()
      })
      if (hasCapacity()) return true
      queueMicrotask(() => {
        isAskedToWait = true
      })
      return false
    },
    drained: () =>
      new Promise((resolve) => {
        if (over.signal.aborted || hasCapacity()) resolve()
        else drainWaiters.push(resolve)
      }),
    frames: queue.frames,
    close,
  }
}

/** Who does not answer a goodbye is not waited for. */
const goodbyeMs = 1000
/** Of the protocol. A letter takes up to three bytes. */
const maxReasonBytes = 123

function frameOf(data: RawData, isBinary: boolean, maxFrameBytes: number): Frame {
  if (isBinary) return { type: 'binary' }
  // Text comes in one piece: the library's default for messages.
  const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
  if (bytes.byteLength > maxFrameBytes) return { type: 'too-large', bytes: bytes.byteLength }
  return { type: 'text', text: bytes.toString('utf8') }
}

interface Watched {
  /** How many frames the connection has taken. */
  readonly taken: () => number
  readonly hasCapacity: () => boolean
  readonly stallMs: number
}

/** Called at every beat: asks whether the client is there, and cuts off one that takes or says nothing for too long. */
function watch(ws: WebSocket, { taken, hasCapacity, stallMs }: Watched): () => void {
  let seen = taken()
  let activeAt = performance.now()
  let stuckSince: number | null = null
  const noteActivity = () => {
    activeAt = performance.now()
  }
  for (const event of ['message', 'ping', 'pong'] as const) ws.on(event, noteActivity)
  return () => {
    const now = performance.now()
    const isStuck = ws.bufferedAmount > 0 && taken() === seen
    stuckSince = isStuck ? (stuckSince ?? now) : null
    seen = taken()
    // A client that is made to wait, or has much to take first, cannot be heard.
    if (ws.isPaused || ws.bufferedAmount > 0) activeAt = now
    if (now - Math.min(activeAt, stuckSince ?? now) >= stallMs) ws.terminate()
    else if (hasCapacity()) ws.ping()
  }
}
