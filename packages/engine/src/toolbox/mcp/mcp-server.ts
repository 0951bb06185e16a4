// One MCP server of one session, for as long as the session lives: what it offers, and calls of it.
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { type McpTool, QuarterdeckError } from '@quarterdeck/protocol'
import type { PersonAsker, ToolCall, ToolOutput } from '../../backends/backend.ts'
import { elicit } from '../../elicit.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { failed, type PartPlace, type ToolPart } from '../tool-part.ts'
import { connect, isServersAnswer, OddAnswer } from './connection.ts'
import { describeTrouble, isTheEnd, ownWords } from './describe-trouble.ts'
import { createKeptConnection, type Link } from './kept-connection.ts'
import { tooLargeSentence } from './message-too-large.ts'
import { createOffer } from './offer.ts'
import type { OpenedTransport } from './open-transport.ts'
import { TookTooLong } from './patience.ts'
import { outputOfResult, type ToolResult } from './tool-result.ts'

export interface McpServerOptions {
  readonly tool: McpTool
  readonly place: PartPlace
  readonly questions: PersonAsker
  /** Throws a sentence when there is nothing to connect to. */
  readonly open: () => OpenedTransport
  /** Takes values nobody may read out of a text. */
  readonly blank: (text: string) => string
  readonly logger: Logger
  /** Before each new try; as many tries as there are pauses. */
  readonly pausesMs?: readonly number[]
  /** Aborts when nobody waits for it to be opened any more. */
  readonly signal: AbortSignal
}

const usualPausesMs = [100, 1_000, 3_000, 10_000]

/**
 * Resolves when it is connected. Throws `tool.unavailable`, unless its failure is only to be told of, and the signal's
 * reason when it aborts.
 */
export async function openMcpServer(options: McpServerOptions): Promise<ToolPart> {
  const { tool, place, questions, blank, logger, pausesMs = usualPausesMs, signal: opening } = options
  const { name } = tool
  const onOdd = (why: string) => logger.warn({ server: name, agent: place.agentName, why: blank(why) }, 'an MCP server')
  const offer = createOffer(tool, { onChange: place.news.changed, onOdd })
  const kept = createKeptConnection({
    ...{ blank, pausesMs },
    connect: (onLost, signal) => linkTo(options, { onLost, signal, onOdd, onTools: offer.set }),
    onStatus(status, error) {
      if (status === 'restarting') {
        logger.warn({ server: name, sessionId: place.sessionId, error }, 'an MCP server fell')
      }
      place.news.server({ name, status, error })
    },
  })

  async function call({ toolName, toolInput }: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
    const known = offer.find(toolName)
    const link = await kept.reach()
    if (link === null) return failed(`The MCP server "${name}" is not running: ${kept.whyNot()}. Go on without it.`)
    const wanted = known ?? offer.find(toolName)
    if (wanted === undefined) return failed(`The MCP server "${name}" has no tool of this name any more.`)
    const run = () => link.connection.call(wanted.name, toolInput, signal)
    try {
      return outputOfResult(await run().catch((error) => afterVisits(error, run, signal)))
    } catch (error) {
      if (signal.aborted) return failed('The call was interrupted.')
      if (error instanceof TookTooLong) {
        void fallIfSilent(link)
        return failed(`${wanted.name}: ${error.message}. The call was given up.`)
      }
      if (error instanceof OddAnswer) return failed(error.message)
      if (isServersAnswer(error, link.connection)) return failed(blank(ownWords(error)))
      const how = blank((await link.ended()) ?? describeTrouble(error))
      kept.fall(link, Promise.resolve(how))
      const then = how === tooLargeSentence ? 'Ask it for less.' : 'It is started again: call it again.'
      return failed(`The MCP server "${name}" fell while it worked on this: ${how}. ${then}`)
    }
  }

  /** One that does not answer anything any more would never be started again. */
  async function fallIfSilent(link: Link): Promise<void> {
    if (!(await link.connection.isAnswering())) kept.fall(link, Promise.resolve('it does not answer any more'))
  }

  /** A server may want a person to visit a page before it does anything. */
  async function afterVisits(error: unknown, again: () => Promise<ToolResult>, signal: AbortSignal) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error
    for (const { message, url } of error.elicitations) {
      const { action } = await elicit(questions, { server: name, message, url, schema: null }, signal)
      if (action !== 'accept') throw new Error('the person did not open the page that the server asks for')
    }
    return await again()
  }

  await kept.open(opening).catch((error: Error) => {
    opening.throwIfAborted()
    const detail = `agent "${place.agentName}": the MCP server "${name}" cannot be started: ${error.message}`
    if (tool.onFailure === 'error') throw new QuarterdeckError('tool.unavailable', detail, { facts: { tool: name } })
    logger.warn({ server: name, agent: place.agentName, error: error.message }, 'an MCP server is left out')
  })
  return { list: offer.list, call, close: kept.close }
}

interface Listening extends Pick<Parameters<typeof connect>[0], 'onTools' | 'onOdd' | 'signal'> {
  readonly onLost: (how: Promise<string | null>) => void
}

/** One try. Throws a sentence. */
async function linkTo(
  { tool, questions, open }: McpServerOptions,
  { onLost, onTools, onOdd, signal }: Listening,
): Promise<Link> {
  let ended: Link['ended'] = async () => null
  try {
    const opened = open()
    let trouble: string | null = null
    ended = async () => trouble ?? (await opened.ended())
    const connection = await connect({
      ...{ server: tool.name, transport: opened.transport, questions, onTools, onOdd, signal },
      connectTimeoutMs: tool.connectTimeoutMs,
      requestTimeoutMs: tool.requestTimeoutMs,
      onLost: () => onLost(ended()),
      onTrouble: (error) => {
        if (!isTheEnd(error)) return
        trouble = describeTrouble(error)
        onLost(Promise.resolve(trouble))
      },
    })
    onTools(connection.tools)
    return { connection, ended }
  } catch (error) {
    const how = await ended()
    throw new Error(how === null ? describeTrouble(error) : `${describeTrouble(error)} (${how})`)
  }
}
