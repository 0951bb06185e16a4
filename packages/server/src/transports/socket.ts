// One WebSocket client: bounded in both directions, and closed when the client leaves, its key ends or the server
// stops.
import type { RawData, WebSocket } from 'ws'
import { createDrainWaiters, highWaterMarkBytes } from './drain-waiters.ts'
import { createFrameQueue, type Frame } from './frame-queue.ts'
import type { StreamTiming } from './stream-deps.ts'

export type { Frame } from './frame-queue.ts'

export interface Socket {
  /**
   * Sends one text frame. False: no more before `drained` resolves, or the client is disconnected eventually. Never
   * throws.
   */
  send(text: string): boolean
  /** Resolves when there is capacity, or when the connection is closed. Never rejects. */
  drained(): Promise<void>
  /** Every frame of the client, in order, until the connection is closed. A slow reader slows down the client. */
  frames(): AsyncIterable<Frame>
  /** Closes the connection after everything that was sent. Further frames of the client are discarded. */
  close(code: number, reason: string): void
  /** Aborts when the connection is closed, for any reason. */
  readonly signal: AbortSignal
}

export interface SocketRules {
  readonly timing: StreamTiming
  /** The largest accepted frame. */
  readonly maxFrameBytes: number
  /** The server stops: the connection is closed, and the client may reconnect. */
  readonly closing: AbortSignal
  /** The key was revoked or has expired: the connection is closed, and the client cannot reconnect with it. */
  readonly revoked: AbortSignal | null
}

/** Additional bytes of senders that do not wait, before the client is disconnected. */
const overflowBytes = 10 * highWaterMarkBytes

export function createSocket(ws: WebSocket, rules: SocketRules): Socket {
  const over = new AbortController()
  const queue = createFrameQueue(ws)
  let taken = 0
  let unheeded = 0
  /** The sender learns that the connection is full after this send; the rest of the same batch is tolerated. */
  let isAskedToWait = false
  const hasCapacity = () => ws.bufferedAmount < highWaterMarkBytes
  const waiters = createDrainWaiters(() => over.signal.aborted || hasCapacity())

  function end(): void {
    clearInterval(beat)
    rules.closing.removeEventListener('abort', closeForShutdown)
    rules.revoked?.removeEventListener('abort', closeForRevokedKey)
    over.abort()
    queue.end()
    waiters.release()
  }

  function closeForShutdown(): void {
    close(1001, 'the server is stopping')
    end()
  }

  function closeForRevokedKey(): void {
    close(1008, 'the key is no longer valid')
    end()
  }

  function close(code: number, reason: string): void {
    if (ws.readyState !== ws.OPEN) return
    queue.end()
    const late = setTimeout(() => ws.terminate(), closeTimeoutMs).unref()
    ws.once('close', () => clearTimeout(late))
    ws.close(code, Buffer.byteLength(reason) <= maxReasonBytes ? reason : reason.slice(0, maxReasonBytes / 3))
  }

  ws.on('message', (data, isBinary) => queue.push(frameOf(data, isBinary, rules.maxFrameBytes)))
  ws.on('ping', (data) => {
    // A client that sends pings without reading would fill the memory with pongs.
    if (hasCapacity()) ws.pong(data)
  })
  ws.on('error', () => undefined) // protocol violation: the library has closed the connection with its code
  ws.on('close', end)
  const check = watch(ws, { taken: () => taken, hasCapacity, stallMs: rules.timing.stallMs })
  const beat = setInterval(check, rules.timing.heartbeatMs).unref()
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
        if (hasCapacity()) waiters.release()
      })
      if (hasCapacity()) return true
      queueMicrotask(() => {
        isAskedToWait = true
      })
      return false
    },
    drained: waiters.drained,
    frames: queue.frames,
    close,
  }
}

/** Time for the client to answer a close frame. */
const closeTimeoutMs = 1000
/** A limit of the protocol, in bytes. A character takes up to three. */
const maxReasonBytes = 123

function frameOf(data: RawData, isBinary: boolean, maxFrameBytes: number): Frame {
  if (isBinary) return { type: 'binary' }
  // The default of the library: text arrives as one piece.
  const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
  if (bytes.byteLength > maxFrameBytes) return { type: 'too-large', bytes: bytes.byteLength }
  // Removes a byte order mark. The library has checked that the text is UTF-8.
  return { type: 'text', text: new TextDecoder().decode(bytes) }
}

interface Watched {
  /** How many frames the connection has taken. */
  readonly taken: () => number
  readonly hasCapacity: () => boolean
  readonly stallMs: number
}

/** Runs at every heartbeat: pings the client, and disconnects one that reads or sends nothing for too long. */
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
    // A client that is blocked, or has much to read first, cannot answer.
    if (ws.isPaused || ws.bufferedAmount > 0) activeAt = now
    if (now - Math.min(activeAt, stuckSince ?? now) >= stallMs) ws.terminate()
    else if (hasCapacity()) ws.ping()
  }
}
