// One connection with an MCP server, from the first greeting to its end.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  ErrorCode,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@quarterdeck/protocol'
import type { PersonAsker } from '../../backends/backend.ts'
import { type Elicited, elicit } from '../../elicit.ts'
import { within } from '../../within.ts'
import { orAborted } from '../or-aborted.ts'
import { createPatience } from './patience.ts'
import { ToolResult } from './tool-result.ts'

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface ConnectionOptions {
  readonly server: string
  readonly transport: Transport
  readonly questions: PersonAsker
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  /** The server offers other tools now. */
  readonly onTools: (tools: readonly ListedTool[]) => void
  /** It is over, and nobody here ended it. */
  readonly onLost: () => void
  readonly onTrouble: (error: Error) => void
  /** Aborts when nobody waits for the greeting any more. */
  readonly signal: AbortSignal
}

export interface Connection {
  readonly tools: readonly ListedTool[]
  /** Rejects with the server's own error, or with whatever broke the connection. */
  call(name: string, input: JsonObject, signal: AbortSignal): Promise<ToolResult>
  close(): Promise<void>
}

/** The SDK's clock is not asked: it cannot stop while a person is. */
const forEver = 2 ** 31 - 1
const mostPages = 100

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
    signal: greeting,
  } = options
  const client = new Client(
    { name: 'quarterdeck', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  )
  const patience = createPatience(requestTimeoutMs)
  let isClosing = false

  client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
    patience.pauseWhile(async (): Promise<Elicited> => {
      const url = params.mode === 'url' ? params.url : null
      const schema = params.mode === 'url' ? null : ({ ...params.requestedSchema } as JsonObject) // it came as JSON
      return await elicit(questions, { server, message: params.message, schema, url }, signal)
    }),
  )
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    await listTools(client, requestTimeoutMs).then(onTools, options.onTrouble)
  })
  client.onclose = () => {
    if (!isClosing) onLost()
  }
  client.onerror = options.onTrouble

  async function close(): Promise<void> {
    isClosing = true
    await client.close()
  }

  async function greet(): Promise<readonly ListedTool[]> {
    await client.connect(transport, { timeout: connectTimeoutMs })
    return await listTools(client, connectTimeoutMs)
  }

  try {
    // Some transports wait before there is anything to time.
    const tools = await within(orAborted(greet(), greeting), connectTimeoutMs)
    if (tools === null) throw new McpError(ErrorCode.RequestTimeout, 'no greeting')
    return {
      tools,
      close,
      call: (name, input, signal) =>
        patience.during(signal, (bounded, onprogress) =>
          client.request({ method: 'tools/call', params: { name, arguments: input } }, ToolResult, {
            ...{ signal: bounded, timeout: forEver, onprogress },
          }),
        ),
    }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

async function listTools(client: Client, timeout: number): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools: some, nextCursor } = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
      timeout,
    })
    for (const { name, description = '', inputSchema } of some) {
      tools.push({ name, description, inputSchema: { ...inputSchema } as JsonObject }) // it came as JSON
    }
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return tools
}

/** Whether the server itself answered with an error: then it is there. */
export const isServersAnswer = (error: unknown): error is McpError =>
  error instanceof McpError && error.code !== ErrorCode.ConnectionClosed && error.code !== ErrorCode.RequestTimeout
