// One reader's way out of the server: through the answer's stream until its head has left, then straight to the socket.
import type { ServerResponse } from 'node:http'

/** The connection behind an answer. */
export type Wire = Pick<ServerResponse, 'headersSent' | 'writableLength' | 'write' | 'on' | 'off' | 'destroy'>

export interface OutletEvents {
  /** Everything sent so far has been taken. */
  readonly onEmpty: () => void
  /** The reader is gone. */
  readonly onLeave: () => void
}

export interface Outlet {
  /** The body of the answer. */
  readonly stream: ReadableStream<Uint8Array>
  send(bytes: Uint8Array): void
  /** Bytes sent that the reader's connection has not taken yet. */
  waiting(): number
  /** Bytes the connection has taken. */
  taken(): number
  /** Ends the answer behind what was sent. */
  end(): void
  /** Cuts the connection: ending would wait behind what the reader does not take. */
  cut(): void
}

/** A stream costs several promises for each piece, which for many readers is more than the writing itself. */
export function createOutlet(wire: Wire | null, { onEmpty, onLeave }: OutletEvents): Outlet {
  /** Whoever writes the answer's body asks for more only after it has written what it had. */
  let isAsked = false
  let isDirect = false
  let isOver = false
  let sent = 0
  let controller: ReadableStreamDefaultController<Uint8Array>

  function close(): void {
    isOver = true
    wire?.off('drain', onEmpty)
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened
      },
      pull() {
        isAsked = true
        onEmpty()
      },
      cancel() {
        close()
        onLeave()
      },
    },
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  )
  wire?.on('drain', onEmpty)

  const waiting = () => (isDirect ? (wire?.writableLength ?? 0) : -(controller.desiredSize ?? 0))

  return {
    stream,
    send(bytes) {
      if (isOver) return
      sent += bytes.byteLength
      isDirect ||= isAsked && wire?.headersSent === true
      if (isDirect) wire?.write(bytes)
      else {
        isAsked = false
        controller.enqueue(bytes)
      }
    },
    waiting,
    taken: () => sent - waiting(),
    end() {
      if (isOver) return
      close()
      controller.close()
    },
    cut() {
      wire?.destroy()
    },
  }
}
