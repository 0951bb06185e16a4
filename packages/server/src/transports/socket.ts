// One client's end of a WebSocket: bounded both ways, and over when the client, its key or the server goes.
import type { RawData, WebSocket } from 'ws'
import type { SseTiming } from './sse.ts'

/** What a client sent. A frame that is too large was thrown away. */
export type Frame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary' }
  | { readonly type: 'too-large'; readonly bytes: number }

export interface Socket {
  /** Sends one text frame. False: no more before `room` resolves, or the client is cut off in time. Never throws. */
  send(text: string): boolean
  /** Resolves when there is room, or when the connection is over. */
  room(): Promise<void>
  /** Everything the client sends, in order, until the connection is over. Who reads slowly makes the client wait. */
  frames(): AsyncIterable<Frame>
  /** Ends the connection behind what was sent. */
  close(code: number, reason: string): void
  /** Aborts when the connection is over, for whatever reason. */
  readonly signal: AbortSignal
}

export interface SocketRules {
  readonly timing: SseTiming
  /** The largest frame that is read. */
  readonly maxFrameBytes: number
  /** The key was revoked, or the server goes: the connection is closed. */
  readonly signals: readonly AbortSignal[]
}

/** What a client may leave untaken before its sender waits; ten times that, and it is cut off. */
const roomBytes = 128 * 1024
const overflowBytes = 10 * roomBytes
/** What a client may send ahead of what is read. */
const maxWaitingFrames = 64

export function createSocket(ws: WebSocket, rules: SocketRules): Socket {
  const over = new AbortController()
  const inbox: Frame[] = []
  let wakeReader: () => void = () => undefined
  let roomWaiters: (() => void)[] = []
  let taken = 0

  function letOn(): void {
    const waiters = roomWaiters
    roomWaiters = []
    for (const resolve of waiters) resolve()
  }

  function end(): void {
    clearInterval(beat)
    for (const signal of rules.signals) signal.removeEventListener('abort', goAway)
    over.abort()
    letOn()
    wakeReader()
  }

  function goAway(): void {
    ws.close(1001, 'the key was revoked, or the server goes')
    // Who does not answer is not waited for.
    setTimeout(() => ws.terminate(), 1000).unref()
    end()
  }

  ws.on('message', (data, isBinary) => {
    inbox.push(frameOf(data, isBinary, rules.maxFrameBytes))
    if (inbox.length >= maxWaitingFrames) ws.pause()
    wakeReader()
  })
  ws.on('error', () => undefined) // a frame against the rules: the library has closed the connection with its code
  ws.on('close', end)
  const beat = setInterval(
    watch(ws, () => taken, rules.timing.stallMs),
    rules.timing.heartbeatMs,
  ).unref()
  for (const signal of rules.signals) signal.addEventListener('abort', goAway)
  if (rules.signals.some((signal) => signal.aborted)) goAway()

  const hasRoom = () => ws.bufferedAmount < roomBytes

  return {
    signal: over.signal,
    send(text) {
      if (over.signal.aborted) return true
      if (ws.bufferedAmount > overflowBytes) {
        ws.terminate()
        return false
      }
      ws.send(text, () => {
        taken += 1
        if (hasRoom()) letOn()
      })
      return hasRoom()
    },
    room: () =>
      new Promise((resolve) => {
        if (over.signal.aborted || hasRoom()) resolve()
        else roomWaiters.push(resolve)
      }),
    async *frames() {
      while (true) {
        const frame = inbox.shift()
        if (frame !== undefined) {
          if (ws.isPaused && inbox.length < maxWaitingFrames / 2) ws.resume()
          yield frame
        } else if (over.signal.aborted) return
        else {
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
        }
      }
    },
    close(code, reason) {
      ws.close(code, reason)
    },
  }
}

function frameOf(data: RawData, isBinary: boolean, maxFrameBytes: number): Frame {
  if (isBinary) return { type: 'binary' }
  // Text comes in one piece: the library's default for messages.
  const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
  if (bytes.byteLength > maxFrameBytes) return { type: 'too-large', bytes: bytes.byteLength }
  return { type: 'text', text: bytes.toString('utf8') }
}

/** Called at every beat: asks whether the client is there, and cuts off one that takes nothing for too long. */
function watch(ws: WebSocket, taken: () => number, stallMs: number): () => void {
  let seen = taken()
  let heardAt = performance.now()
  ws.on('pong', () => {
    heardAt = performance.now()
  })
  ws.on('message', () => {
    heardAt = performance.now()
  })
  return () => {
    if (taken() !== seen) heardAt = performance.now()
    seen = taken()
    // A client that is made to wait cannot be heard.
    if (ws.isPaused) heardAt = performance.now()
    if (performance.now() - heardAt >= stallMs) ws.terminate()
    else ws.ping()
  }
}
