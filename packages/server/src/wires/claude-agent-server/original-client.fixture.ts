// Behaves like clients of claude-agent-server: posts a configuration, opens the socket, sends and listens. It knows
// nothing of Quarterdeck; the headers are for the main port, which requires a token.
import { once } from 'node:events'
import { vi } from 'vitest'
import { WebSocket } from 'ws'

export interface OutFrame {
  readonly type: string
  readonly data?: unknown
  readonly error?: string
}

export interface ReceivedSdkMessage {
  readonly type: string
  readonly subtype?: string
  readonly [field: string]: unknown
}

export type OriginalClient = Awaited<ReturnType<typeof openOriginalClient>>

export async function openOriginalClient(
  baseUrl: string,
  { config = {}, headers = {}, query = '' }: { config?: object; headers?: Record<string, string>; query?: string } = {},
) {
  const posted = await fetch(`${baseUrl}/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(config),
  })
  const configReply: unknown = await posted.json()
  const ws = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws${query}`, { headers })
  const frames: OutFrame[] = []
  ws.on('message', (data) => void frames.push(JSON.parse(String(data)) as OutFrame))
  await once(ws, 'open')
  await until(() => frames[0]?.type === 'connected')

  const received = (): ReceivedSdkMessage[] =>
    frames.flatMap((frame) => (frame.type === 'sdk_message' ? [frame.data as ReceivedSdkMessage] : []))
  const results = () => received().filter(({ type }) => type === 'result')
  const send = (frame: unknown) => ws.send(JSON.stringify(frame))

  return {
    ws,
    frames,
    received,
    results,
    send,
    configReply,
    ofType: (type: string) => frames.filter((frame) => frame.type === type),
    idOf: (type: string, field: string): string =>
      String((frames.find((frame) => frame.type === type)?.data as Record<string, unknown> | undefined)?.[field]),
    say: (content: unknown) =>
      send({
        type: 'user_message',
        data: { type: 'user', session_id: '', parent_tool_use_id: null, message: { role: 'user', content } },
      }),
    until,
    /**
     * Resolves when everything sent so far was processed: an unreadable frame is answered after it, and removed again.
     */
    async processed() {
      const unread = ({ type, error = '' }: OutFrame) => type === 'error' && error.includes('type: must be a string')
      send({})
      await until(() => frames.some(unread))
      frames.splice(frames.findIndex(unread), 1)
    },
    async result(count = 1): Promise<ReceivedSdkMessage> {
      await until(() => results().length >= count)
      return results()[count - 1] ?? { type: 'none' }
    },
    async close() {
      ws.close()
      await once(ws, 'close')
    },
  }
}

const until = (isSo: () => boolean) =>
  vi.waitFor(
    () => {
      if (!isSo()) throw new Error('not yet')
    },
    { timeout: 30_000, interval: 5 },
  )
