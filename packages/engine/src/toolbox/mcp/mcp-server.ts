// One MCP server of one session, for the life of the session: its offer and its calls.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { cutText, type McpTool, messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import { elicit } from '../../ports/elicit.ts'
import type { Logger } from '../../ports/logger.ts'
import type { QuestionAsker } from '../../ports/question-asker.ts'
import type { ToolCall, ToolOutput } from '../../ports/tool-call.ts'
import { failed, type ToolSource, type ToolSourceContext } from '../tool-source.ts'
import { connect, isServersAnswer, MalformedAnswer } from './connection.ts'
import { MessageTooLarge, tooLargeSentence } from './message-too-large.ts'
import { createOffer } from './offer.ts'
import type { OpenedTransport } from './open-transport.ts'
import { TookTooLong } from './progress-timeout.ts'
import { createReconnectingConnection, type Link } from './reconnecting-connection.ts'
import { outputOfResult, type ToolResult } from './tool-result.ts'

export interface McpServerOptions {
  readonly tool: McpTool
  readonly toolContext: ToolSourceContext
  readonly questions: QuestionAsker
  /** Throws with a message if there is nothing to connect to. */
  readonly open: () => OpenedTransport
  /** Removes secrets from a text. */
  readonly removeSecrets: (text: string) => string
  readonly logger: Logger
  /** The delays before each restart; their number limits the attempts. */
  readonly pausesMs?: readonly number[]
  /** Aborts if the server is no longer needed. */
  readonly signal: AbortSignal
}

const defaultPausesMs = [100, 1_000, 3_000, 10_000]

/**
 * Resolves when it is connected. Throws `tool.unavailable`, unless its failure is only reported, or the signal's reason
 * if it aborts.
 */
export async function openMcpServer(options: McpServerOptions): Promise<ToolSource> {
  const { tool, toolContext, questions, removeSecrets, logger, pausesMs = defaultPausesMs, signal: opening } = options
  const { name } = tool
  const onOmitted = (why: string) =>
    logger.warn(
      { server: name, agent: toolContext.agentName, why: removeSecrets(why) },
      'an MCP server has left something out',
    )
  const offer = createOffer(tool, { onChange: toolContext.events.changed, onOmitted })
  const reconnecting = createReconnectingConnection({
    removeSecrets,
    pausesMs,
    connect: (onLost, signal) => linkTo(options, { onLost, signal, onOmitted, onTools: offer.set }),
    onStatus(status, error) {
      if (status === 'restarting') {
        logger.warn(
          { server: name, sessionId: toolContext.sessionId, error },
          'an MCP server failed and is being restarted',
        )
      }
      toolContext.events.server({ name, status, error })
    },
  })

  async function call({ toolName, toolInput }: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
    const known = offer.find(toolName)
    const link = await reconnecting.reach()
    if (link === null)
      return failed(
        `The MCP server "${name}" is not running: ${reconnecting.unavailableReason()}. Continue without it.`,
      )
    const wanted = known ?? offer.find(toolName)
    if (wanted === undefined) return failed(`The MCP server "${name}" no longer has a tool of this name.`)
    const run = () => link.connection.call(wanted.name, toolInput, signal)
    try {
      return outputOfResult(await run().catch((error) => afterVisits(error, run, signal)))
    } catch (error) {
      if (signal.aborted) return failed('The call was interrupted.')
      if (error instanceof TookTooLong) {
        void restartIfSilent(link)
        return failed(`${wanted.name}: ${error.message}. The call was cancelled.`)
      }
      if (error instanceof MalformedAnswer) return failed(error.message)
      if (isServersAnswer(error, link.connection)) return failed(removeSecrets(messageWithoutCode(error)))
      const how = removeSecrets((await link.ended()) ?? describeConnectionError(error))
      reconnecting.connectionLost(link, Promise.resolve(how))
      const then = how === tooLargeSentence ? 'Ask it for less.' : 'It is being restarted: call it again.'
      return failed(`The MCP server "${name}" failed during this call: ${how}. ${then}`)
    }
  }

  /** Otherwise a server that no longer responds would never be restarted. */
  async function restartIfSilent(link: Link): Promise<void> {
    if (!(await link.connection.isAnswering()))
      reconnecting.connectionLost(link, Promise.resolve('it no longer responds'))
  }

  /** A server may require a person to visit a page first. */
  async function afterVisits(error: unknown, again: () => Promise<ToolResult>, signal: AbortSignal) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error
    for (const { message, url } of error.elicitations) {
      const { action } = await elicit(questions, { server: name, message, url, schema: null }, signal)
      if (action !== 'accept') throw new Error('the person did not open the page that the server requires')
    }
    return await again()
  }

  await reconnecting.open(opening).catch((error: Error) => {
    opening.throwIfAborted()
    const detail = `agent "${toolContext.agentName}": the MCP server "${name}" cannot be started: ${error.message}`
    if (tool.onFailure === 'error') throw new QuarterdeckError('tool.unavailable', detail, { facts: { tool: name } })
    logger.warn(
      { server: name, agent: toolContext.agentName, error: error.message },
      'an MCP server could not be started and is left out',
    )
  })
  return { list: offer.list, call, close: reconnecting.close }
}

interface Listening extends Pick<Parameters<typeof connect>[0], 'onTools' | 'onOmitted' | 'signal'> {
  readonly onLost: (how: Promise<string | null>) => void
}

/** One attempt. Throws with a message. */
async function linkTo(
  { tool, questions, open }: McpServerOptions,
  { onLost, onTools, onOmitted, signal }: Listening,
): Promise<Link> {
  let ended: Link['ended'] = async () => null
  try {
    const opened = open()
    let connectionError: string | null = null
    ended = async () => connectionError ?? (await opened.ended())
    const connection = await connect({
      server: tool.name,
      transport: opened.transport,
      questions,
      onTools,
      onOmitted,
      signal,
      connectTimeoutMs: tool.connectTimeoutMs,
      requestTimeoutMs: tool.requestTimeoutMs,
      onLost: () => onLost(ended()),
      onConnectionError: (error) => {
        if (!endsConnection(error)) return
        connectionError = describeConnectionError(error)
        onLost(Promise.resolve(connectionError))
      },
    })
    onTools(connection.tools)
    return { connection, ended }
  } catch (error) {
    const how = await ended()
    throw new Error(how === null ? describeConnectionError(error) : `${describeConnectionError(error)} (${how})`)
  }
}

/** Describes a failed connection to an MCP server, with a remedy. */
function describeConnectionError(error: unknown): string {
  if (error instanceof UnauthorizedError) return 'it answers 401: check the headers of this tool'
  if (error instanceof StreamableHTTPError || error instanceof SseError) return ofHttp(error.code, error.message)
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return 'it did not answer in time'
  if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed) return 'it closed the connection'
  if (error instanceof McpError) return messageWithoutCode(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const message = messageOf(error)
  return message === 'fetch failed' && cause !== '' ? `it cannot be reached: ${cause}` : message
}

/** Without the error code that the SDK prepends. */
const messageWithoutCode = ({ message }: McpError): string => message.replace(/^(?:MCP error -?\d+: )+/, '')

function ofHttp(code: number | undefined, message: string): string {
  if (code === undefined || code < 100) return message
  if (code === 401 || code === 403) return `it answers ${code}: check the headers of this tool`
  if (code === 404) return 'it answers 404: check the url of this tool, and whether it is http or sse'
  return `it answers ${code}: ${cutText(message, 300)}`
}

/** Errors outside of calls after which no call will be answered. */
const endsConnection = (error: Error): boolean =>
  error instanceof SseError ||
  error instanceof MessageTooLarge ||
  error.message.includes('Maximum reconnection attempts')
