// A client of the chat socket: records every chunk and waits for requested ones.
import { WebSocket } from 'ws'

export interface Chunk {
  readonly type: string
  readonly content: string
  readonly completed: boolean
  readonly metadata: Record<string, unknown> | null
}

export type ChatClient = Awaited<ReturnType<typeof openChat>>

export async function openChat(url: string, headers: Readonly<Record<string, string>> = {}) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
  const chunks: Chunk[] = []
  let wake: () => void = () => undefined
  let read = 0
  socket.on('message', (data) => {
    chunks.push(JSON.parse(String(data)) as Chunk) // guaranteed by the wire: the tests check every key
    wake()
  })
  socket.on('close', () => wake())
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_, response) => reject(new Error(`refused with ${response.statusCode}`)))
    socket.once('error', reject)
  })

  /** The next chunks, up to and including the first match. */
  async function until(fits: (chunk: Chunk) => boolean): Promise<readonly Chunk[]> {
    const deadline = Date.now() + 60_000
    const from = read
    for (;;) {
      for (; read < chunks.length; read += 1) {
        const chunk = chunks[read]
        if (chunk === undefined || !fits(chunk)) continue
        read += 1
        return chunks.slice(from, read)
      }
      if (socket.readyState === WebSocket.CLOSED) throw new Error(`closed after ${JSON.stringify(chunks.slice(from))}`)
      if (Date.now() > deadline) throw new Error(`nothing that fits among ${JSON.stringify(chunks.slice(from))}`)
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, 1000)
      })
    }
  }

  return {
    socket,
    chunks,
    until,
    send: (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    /** All chunks up to the next final one. */
    completed: () => until(({ completed }) => completed),
    next: async (type: string) => (await until((chunk) => chunk.type === type)).at(-1),
    close: () =>
      new Promise<void>((resolve) => {
        if (socket.readyState === WebSocket.CLOSED) return resolve()
        socket.once('close', () => resolve())
        socket.close()
      }),
  }
}

export const textOf = (chunks: readonly Chunk[]): string =>
  chunks
    .filter(({ type }) => type === 'text')
    .map(({ content }) => content)
    .join('')

export const sessionIn = (chunk: Chunk | undefined): string => String(chunk?.metadata?.session_id)
