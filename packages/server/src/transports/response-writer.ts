// One reader's way out of the server: through the answer's stream until its head has left, then straight to the socket.

/** The connection behind an answer: what is used of a `ServerResponse`. */
export interface Connection {
  readonly headersSent: boolean
  readonly chunkedEncoding: boolean
  readonly writableLength: number
  readonly socket: {
    readonly writableLength: number
    write(bytes: Uint8Array): boolean
    on(event: 'drain', listener: () => void): unknown
    off(event: 'drain', listener: () => void): unknown
  } | null
  destroy(): unknown
}

export interface ResponseWriterEvents {
  /** Everything sent so far has been taken. */
  readonly onEmpty: () => void
  /** The reader is gone. */
  readonly onLeave: () => void
}

export interface ResponseWriter {
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
export function createResponseWriter(
  connection: Connection | null,
  { onEmpty, onLeave }: ResponseWriterEvents,
): ResponseWriter {
  /** Whoever writes the answer's body asks for more only after it has written what it had. */
  let isAsked = false
  let socket: Connection['socket'] = null
  let isOver = false
  let sent = 0
  let controller: ReadableStreamDefaultController<Uint8Array>

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

  function close(): void {
    isOver = true
    socket?.off('drain', onEmpty)
  }

  function goDirect(): void {
    if (!isAsked || connection === null || !isBare(connection)) return
    socket = connection.socket
    socket?.on('drain', onEmpty)
  }

  const waiting = () => (socket === null ? -(controller.desiredSize ?? 0) : socket.writableLength)

  return {
    stream,
    send(bytes) {
      if (isOver) return
      sent += bytes.byteLength
      if (socket === null) goDirect()
      if (socket !== null) return void socket.write(bytes)
      isAsked = false
      controller.enqueue(bytes)
    },
    waiting,
    taken: () => sent - waiting(),
    end() {
      if (isOver) return
      close()
      controller.close()
    },
    cut() {
      connection?.destroy()
    },
  }
}

/** Its head is out, nothing of the answer waits in front of the socket, and the body goes out as it is. */
const isBare = (connection: Connection): boolean =>
  connection.headersSent &&
  !connection.chunkedEncoding &&
  connection.writableLength === connection.socket?.writableLength
