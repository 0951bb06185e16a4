// Writes to one reader: through the stream of the response until its head is sent, then directly to the socket.

/** The part of `ServerResponse` that is used. */
export interface WritableResponse {
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
  /** Everything sent so far was taken. */
  readonly onEmpty: () => void
  /** The reader has disconnected. */
  readonly onLeave: () => void
}

export type ResponseWriter = ReturnType<typeof createResponseWriter>

/** A stream costs several promises per chunk, which for many readers is more than the writing itself. */
export function createResponseWriter(connection: WritableResponse | null, { onEmpty, onLeave }: ResponseWriterEvents) {
  /** The server pulls more only after it has written the previous chunk. */
  let isAsked = false
  let socket: WritableResponse['socket'] = null
  let isOver = false
  let sent = 0
  let controller: ReadableStreamDefaultController<Uint8Array>

  /** The body of the response. */
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

  /** Bytes sent that the connection has not taken yet. */
  const waiting = () => (socket === null ? -(controller.desiredSize ?? 0) : socket.writableLength)

  return {
    stream,
    send(bytes: Uint8Array): void {
      if (isOver) return
      sent += bytes.byteLength
      if (socket === null) goDirect()
      if (socket !== null) return void socket.write(bytes)
      isAsked = false
      controller.enqueue(bytes)
    },
    waiting,
    /** Bytes that the connection has taken. */
    taken: (): number => sent - waiting(),
    /** Ends the response after everything that was sent. */
    end() {
      if (isOver) return
      close()
      controller.close()
    },
    /** Closes the connection at once: ending would wait for a reader that does not read. */
    cut() {
      connection?.destroy()
    },
  }
}

/** The head is sent, nothing waits before the socket, and the body is not chunked. */
const isBare = (connection: WritableResponse): boolean =>
  connection.headersSent &&
  !connection.chunkedEncoding &&
  connection.writableLength === connection.socket?.writableLength
