// A provider that returns whatever a test writes, in the format of either wire.
import { createServer, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** The chunks of one answer. Endless answers are sent until the client disconnects. */
export type ResponseChunks = Iterable<string>

/** Gives answers in order and repeats the last one. Closes with its test. */
export async function openFakeProvider(answers: readonly ResponseChunks[]) {
  /** The bodies of its requests, oldest first. */
  const asked: string[] = []
  /** How many answers were cancelled by the client. */
  let left = 0
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => {
      asked.push(Buffer.concat(chunks).toString())
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) left += 1
      })
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      void writeChunks(answers[Math.min(asked.length, answers.length) - 1] ?? [], outgoing)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return { baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked, left: () => left }
}

async function writeChunks(words: ResponseChunks, outgoing: ServerResponse): Promise<void> {
  let goOn = (): void => undefined
  outgoing.on('drain', () => goOn()).on('close', () => goOn())
  for (const word of words) {
    if (outgoing.destroyed) return
    const isWritable = outgoing.write(word)
    await new Promise<void>((resolve) => {
      goOn = resolve
      if (isWritable) setImmediate(resolve)
    })
  }
  outgoing.end()
}

interface FakeCall {
  readonly id: unknown
  readonly name: unknown
  readonly json: string
}

/** Builds the messages of either wire. */
export interface FakeWireFormat {
  readonly start: (head: object) => string
  readonly text: (text: string) => string
  readonly thinking: (text: string) => string
  readonly call: (call: FakeCall, index?: number) => string
  readonly arguments: (json: string) => string
  readonly end: (usage?: object) => string
  readonly error: (error: object) => string
}

const frame = (type: string, data: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const begin = (index: number, block: object) => frame('content_block_start', { index, content_block: block })
const delta = (index: number, words: object) => frame('content_block_delta', { index, delta: words })

const anthropic: FakeWireFormat = {
  start: (head) => frame('message_start', { message: head }),
  text: (text) => begin(0, { type: 'text', text: '' }) + delta(0, { type: 'text_delta', text }),
  thinking: (thinking) => begin(0, { type: 'thinking' }) + delta(0, { type: 'thinking_delta', thinking }),
  call: ({ id, name, json }, index = 0) =>
    begin(index, { type: 'tool_use', id, name, input: {} }) +
    delta(index, { type: 'input_json_delta', partial_json: json }),
  arguments: (json) => delta(0, { type: 'input_json_delta', partial_json: json }),
  end: (usage) => frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage }) + frame('message_stop'),
  error: (error) => frame('error', { error }),
}

const chunk = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const choiceDelta = (words: object) => chunk({ choices: [{ index: 0, delta: words }] })

const openai: FakeWireFormat = {
  start: (head) => chunk({ ...head, usage: null, choices: [] }),
  text: (content) => choiceDelta({ content }),
  thinking: (reasoning) => choiceDelta({ reasoning }),
  call: ({ id, name, json }, index = 0) =>
    choiceDelta({ tool_calls: [{ index, id, function: { name, arguments: json } }] }),
  arguments: (json) => choiceDelta({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
  end: (usage) => `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`,
  error: (error) => chunk({ error }),
}

export const wireFormats = { anthropic, openai } as const
