// One connection with an MCP server, from the first greeting to its end.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  ErrorCode,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@quarterdeck/protocol'
import { orAborted } from '../../async/or-aborted.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import type { QuestionAsker } from '../../backends/backend.ts'
import { type Elicited, elicit } from '../../ports/elicit.ts'
import { type ListedTool, listTools } from './list-tools.ts'
import { createProgressTimeout } from './progress-timeout.ts'
import { throttleWork } from './throttle-work.ts'
import { ToolResult } from './tool-result.ts'

export interface ConnectionOptions {
  readonly server: string
  readonly transport: Transport
  readonly questions: QuestionAsker
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  /** The server offers other tools now. */
  readonly onTools: (tools: readonly ListedTool[]) => void
  /** It is over, and nobody here ended it. */
  readonly onLost: () => void
  readonly onConnectionError: (error: Error) => void
  /** Something of what it offers is left out, and why. */
  readonly onOmitted: (why: string) => void
  /** Aborts when nobody waits for the greeting any more. */
  readonly signal: AbortSignal
}

export interface Connection {
  readonly tools: readonly ListedTool[]
  /** Rejects with the server's own error, with `MalformedAnswer`, or with whatever broke the connection. */
  call(name: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult>
  /** Whether nobody has closed it yet. */
  isOpen(): boolean
  /** Whether the server answers anything at all. */
  isAnswering(): Promise<boolean>
  close(): Promise<void>
}

/** The SDK's clock is not asked: it cannot stop while a person is. */
const forEver = 2 ** 31 - 1
/** Questions of one server that people see at once; a server that asks more is told no. */
const mostQuestions = 5
const pingTimeoutMs = 10_000

/** The server answered, and it is no result of a tool. */
export class MalformedAnswer extends Error {}

/**
 * Resolves when the server has said what it offers. Rejects when it does not in time, and when the signal aborts; nothing
 * is left open then.
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const {
    server,
    transport,
    questions,
    connectTimeoutMs,
    requestTimeoutMs,
    onTools,
    onLost,
    onOmitted,
    signal: greeting,
  } = options
  const client = new Client(
    { name: 'quarterdeck', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  )
  const progressTimeout = createProgressTimeout(requestTimeoutMs)
  let isClosing = false
  let isOpen = true
  let questionsOpen = 0

  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }): Promise<Elicited> => {
    if (questionsOpen >= mostQuestions) return { action: 'decline' }
    questionsOpen += 1
    const url = params.mode === 'url' ? params.url : null
    const schema = params.mode === 'url' ? null : ({ ...params.requestedSchema } as JsonObject) // it came as JSON
    try {
      return await progressTimeout.pauseWhile(() =>
        elicit(questions, { server, message: params.message, schema, url }, signal),
      )
    } finally {
      questionsOpen -= 1
    }
  })
  const over = new AbortController()
  const listAgain = throttleWork({
    work: () =>
      listTools(client, { timeout: requestTimeoutMs, onOmitted }).then(onTools).catch(options.onConnectionError),
    signal: over.signal,
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, listAgain)
  client.onclose = () => {
    isOpen = false
    over.abort()
    if (!isClosing) onLost()
  }
  client.onerror = options.onConnectionError

  async function close(): Promise<void> {
    isClosing = true
    await client.close()
  }

  async function greet(): Promise<readonly ListedTool[]> {
    await client.connect(transport, { timeout: connectTimeoutMs })
    return await listTools(client, { timeout: connectTimeoutMs, onOmitted })
  }

  try {
    // Some transports wait before there is anything to time.
    const tools = await withTimeout(orAborted(greet(), greeting), connectTimeoutMs)
    if (tools === null) throw new McpError(ErrorCode.RequestTimeout, 'no greeting')
    return {
      tools,
      close,
      isOpen: () => isOpen,
      isAnswering: () =>
        client.ping({ timeout: Math.min(requestTimeoutMs, pingTimeoutMs) }).then(
          () => true,
          // An error is an answer, too: not every server knows what a ping is.
          (error) => isOpen && error instanceof McpError && error.code !== ErrorCode.RequestTimeout,
        ),
      async call(name, input, signal) {
        const answer = await progressTimeout.during(signal, (bounded, onprogress) =>
          client.request({ method: 'tools/call', params: { name, arguments: input } }, ResultSchema, {
            signal: bounded,
            timeout: forEver,
            onprogress,
          }),
        )
        const result = ToolResult.safeParse(answer)
        if (!result.success) throw new MalformedAnswer('The server answered something that is no result of a tool.')
        return result.data
      },
    }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

/** Whether the server itself answered with an error: then it is there. What numbers it uses is its own business. */
export const isServersAnswer = (error: unknown, { isOpen }: Pick<Connection, 'isOpen'>): error is McpError =>
  error instanceof McpError && isOpen()
