// One connection to an MCP server, from the handshake to its end.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  ErrorCode,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type JsonObject, unlessAborted, withTimeout } from '@quarterdeck/protocol'
import { type ElicitationResult, elicit } from '../../ports/elicit.ts'
import type { QuestionAsker } from '../../ports/question-asker.ts'
import { type ListedTool, listTools } from './list-tools.ts'
import { createProgressTimeout, type ProgressTimeout } from './progress-timeout.ts'
import { throttleWork } from './throttle-work.ts'
import { ToolResult } from './tool-result.ts'

export interface McpConnectionOptions {
  readonly server: string
  readonly transport: Transport
  readonly questions: QuestionAsker
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  /** Called when the server's tools have changed. */
  readonly onTools: (tools: readonly ListedTool[]) => void
  /** Called when the connection ended and this side did not close it. */
  readonly onLost: () => void
  readonly onConnectionError: (error: Error) => void
  /** Called when a part of the offer is left out, with the reason. */
  readonly onOmitted: (why: string) => void
  /** Aborts if the handshake is no longer needed. */
  readonly signal: AbortSignal
}

export type McpConnection = Readonly<Awaited<ReturnType<typeof connect>>>

/** The SDK's own timeout is disabled: it cannot pause while a person is asked. */
const forEver = 2 ** 31 - 1
/** How many questions of one server people see at once; further ones are declined. */
const mostQuestions = 5
const pingTimeoutMs = 10_000

/** The server's answer is not a tool result. */
export class MalformedAnswer extends Error {}

/**
 * Resolves when the server has listed its tools. Rejects, with nothing left open, if that takes too long or the signal
 * aborts.
 */
export async function connect(options: McpConnectionOptions) {
  const { transport, connectTimeoutMs, requestTimeoutMs, onOmitted } = options
  const client = new Client(
    { name: 'quarterdeck', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  )
  const progressTimeout = createProgressTimeout(requestTimeoutMs)
  let isClosing = false
  let isOpen = true

  answerElicitations(client, progressTimeout, options)
  const over = new AbortController()
  const listAgain = throttleWork({
    work: () =>
      listTools(client, { timeout: requestTimeoutMs, onOmitted })
        .then(options.onTools)
        .catch(options.onConnectionError),
    signal: over.signal,
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, listAgain)
  client.onclose = () => {
    isOpen = false
    over.abort()
    if (!isClosing) options.onLost()
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
    // Some transports wait before a request can be timed.
    const tools = await withTimeout(unlessAborted(greet(), options.signal), connectTimeoutMs)
    if (tools === null) throw new McpError(ErrorCode.RequestTimeout, 'no greeting')
    return {
      tools,
      close,
      /** Whether the connection is open. */
      isOpen: () => isOpen,
      /** Whether the server responds at all. */
      isAnswering: () =>
        client.ping({ timeout: Math.min(requestTimeoutMs, pingTimeoutMs) }).then(
          () => true,
          // An error is an answer too: not every server supports ping.
          (error) => isOpen && error instanceof McpError && error.code !== ErrorCode.RequestTimeout,
        ),
      call: createToolCaller(client, progressTimeout),
    }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

/** Passes the server's questions to people. Its requests do not time out meanwhile. */
function answerElicitations(
  client: Client,
  progressTimeout: ProgressTimeout,
  { server, questions }: Pick<McpConnectionOptions, 'server' | 'questions'>,
): void {
  let openCount = 0
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }): Promise<ElicitationResult> => {
    if (openCount >= mostQuestions) return { action: 'decline' }
    openCount += 1
    const url = params.mode === 'url' ? params.url : null
    const schema = params.mode === 'url' ? null : ({ ...params.requestedSchema } as JsonObject) // parsed from JSON
    try {
      return await progressTimeout.pauseWhile(() =>
        elicit(questions, { server, message: params.message, schema, url }, signal),
      )
    } finally {
      openCount -= 1
    }
  })
}

const createToolCaller =
  (client: Client, progressTimeout: ProgressTimeout) =>
  /** Rejects with the server's own error, with `MalformedAnswer`, or with the error that broke the connection. */
  async (name: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult> => {
    const answer = await progressTimeout.during(signal, (bounded, onprogress) =>
      client.request({ method: 'tools/call', params: { name, arguments: input } }, ResultSchema, {
        signal: bounded,
        timeout: forEver,
        onprogress,
      }),
    )
    const result = ToolResult.safeParse(answer)
    if (!result.success) throw new MalformedAnswer('The answer of the server is not a tool result.')
    return result.data
  }

/**
 * Whether the server itself answered with an error, which means that it is running. Its error codes may be anything.
 */
export const isServersAnswer = (error: unknown, { isOpen }: Pick<McpConnection, 'isOpen'>): error is McpError =>
  error instanceof McpError && isOpen()
