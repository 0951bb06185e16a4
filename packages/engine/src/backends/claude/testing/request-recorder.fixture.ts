// A proxy in front of the simulator that records the CLI's requests: they show what the model knows.
import { createServer, request as send } from 'node:http'

export interface RecordedRequest {
  readonly model: string
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly max_tokens?: number
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string; readonly type?: string; readonly input_schema?: unknown }[]
  readonly output_config?: { readonly effort?: string }
  readonly messages: readonly unknown[]
}

export interface RequestRecorder {
  readonly url: string
  /** The conversation of each request, oldest first, as text without the reminders that the CLI adds. */
  conversations(): readonly string[]
  requests(): readonly RecordedRequest[]
  close(): Promise<void>
}

export async function recordRequests(upstream: string): Promise<RequestRecorder> {
  const bodies: string[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      if (incoming.url?.startsWith('/v1/messages') === true) bodies.push(body.toString())
      const forward = send(
        `${upstream}${incoming.url ?? ''}`,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(outgoing)
        },
      )
      forward.on('error', () => outgoing.destroy())
      forward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    conversations: () => bodies.map(textOf),
    requests: () => bodies.map((body) => JSON.parse(body)),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function textOf(body: string): string {
  const { messages = [] } = JSON.parse(body)
  return JSON.stringify(messages).replaceAll(/<system-reminder>.*?<\/system-reminder>/g, '')
}
