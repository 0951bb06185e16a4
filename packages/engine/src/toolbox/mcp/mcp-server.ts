// One MCP server of one session, for as long as the session lives: what it offers, and a new connection when it falls.
import { setTimeout as sleep } from 'node:timers/promises'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { type McpTool, QuarterdeckError } from '@quarterdeck/protocol'
import type { HostTool, McpServerState, PersonAsker, ToolCall, ToolOutput } from '../../backends/backend.ts'
import { elicit } from '../../elicit.ts'
import { mcpToolName } from '../../host-tool.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { failed, type PartPlace, type ToolPart } from '../tool-part.ts'
import { type Connection, connect, isServersAnswer, type ListedTool } from './connection.ts'
import { describeTrouble, isTheEnd, ownWords } from './describe-trouble.ts'
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
}

interface Link {
  readonly connection: Connection
  /** How its process ended, if it has one that did. */
  readonly ended: () => Promise<string | null>
}

const usualPausesMs = [100, 1_000, 3_000, 10_000]
/** Falls within this time count together. */
const fallsWithinMs = 60_000

/** Resolves when it is connected. Throws `tool.unavailable`, unless its failure is only to be told of. */
export async function openMcpServer(options: McpServerOptions): Promise<ToolPart> {
  const { tool, place, questions, logger, pausesMs = usualPausesMs } = options
  const { name } = tool
  const closing = new AbortController()
  let link: Link | null = null
  let coming: Promise<Link | null> | null = null
  let tools: readonly ListedTool[] = []
  let falls: readonly number[] = []
  let whyNot = 'it has not been started'

  function tell(status: McpServerState['status'], error: string | null = null): void {
    if (!closing.signal.aborted) place.news.server({ name, status, error })
  }

  function offer(listed: readonly ListedTool[]): void {
    const before = JSON.stringify(tools)
    tools = withoutTwins(listed.filter((one) => isOffered(tool, one.name)))
    if (JSON.stringify(tools) !== before) place.news.changed()
  }

  /** One try. Throws a sentence. */
  async function establish(): Promise<Link> {
    let ended: Link['ended'] = async () => null
    try {
      const opened = options.open()
      ended = opened.ended
      const connection = await connect({
        ...{ server: name, transport: opened.transport, questions, onTools: offer },
        connectTimeoutMs: tool.connectTimeoutMs,
        requestTimeoutMs: tool.requestTimeoutMs,
        onLost: () => void fall(ended()),
        onTrouble: (error) => {
          if (isTheEnd(error)) void fall(Promise.resolve(describeTrouble(error)))
        },
      })
      link = { connection, ended }
      offer(connection.tools)
      tell('connected')
      return link
    } catch (error) {
      const how = await ended()
      whyNot = options.blank(how === null ? describeTrouble(error) : `${describeTrouble(error)} (${how})`)
      throw new Error(whyNot)
    }
  }

  async function fall(how: Promise<string | null>): Promise<void> {
    const lost = link
    if (lost === null || closing.signal.aborted) return
    link = null
    const now = Date.now()
    falls = [...falls.filter((at) => now - at < fallsWithinMs), now]
    coming = comeBack(how, pausesMs.slice(falls.length - 1)).finally(() => (coming = null))
    await lost.connection.close().catch(() => undefined)
  }

  async function comeBack(how: Promise<string | null>, pauses: readonly number[]): Promise<Link | null> {
    whyNot = options.blank((await how) ?? 'it closed the connection')
    logger.warn({ server: name, sessionId: place.sessionId, error: whyNot }, 'an MCP server fell')
    tell('restarting', whyNot)
    for (const pause of pauses) {
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return null
      const made = await establish().catch(() => null)
      if (made !== null) return made
    }
    tell('failed', whyNot)
    return null
  }

  /** A call is a reason to try a server again that was given up. */
  async function reach(): Promise<Link | null> {
    if (link !== null) return link
    coming ??= establish()
      .catch(() => null)
      .finally(() => (coming = null))
    return await coming
  }

  async function call({ toolName, toolInput }: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
    const known = tools.find((one) => mcpToolName(name, one.name) === toolName)
    const current = await reach()
    if (current === null) return failed(`The MCP server "${name}" is not running: ${whyNot}. Go on without it.`)
    const wanted = known ?? tools.find((one) => mcpToolName(name, one.name) === toolName)
    if (wanted === undefined) return failed(`The MCP server "${name}" has no tool of this name any more.`)
    const run = () => current.connection.call(wanted.name, toolInput, signal)
    try {
      return outputOfResult(await run().catch((error) => afterVisits(error, run, signal)))
    } catch (error) {
      if (signal.aborted) return failed('The call was interrupted.')
      if (error instanceof TookTooLong) return failed(`${wanted.name}: ${error.message}. The call was given up.`)
      if (isServersAnswer(error)) return failed(options.blank(ownWords(error)))
      const how = options.blank((await current.ended()) ?? describeTrouble(error))
      if (link === current) void fall(Promise.resolve(how))
      return failed(
        `The MCP server "${name}" fell while it worked on this: ${how}. It is started again: call it again.`,
      )
    }
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

  async function close(): Promise<void> {
    closing.abort()
    await coming?.catch(() => null)
    await link?.connection.close().catch(() => undefined)
  }

  tell('connecting')
  await establish().catch((error: Error) => {
    tell('failed', error.message)
    const detail = `agent "${place.agentName}": the MCP server "${name}" cannot be started: ${error.message}`
    if (tool.onFailure === 'error') throw new QuarterdeckError('tool.unavailable', detail, { facts: { tool: name } })
    logger.warn({ server: name, agent: place.agentName, error: error.message }, 'an MCP server is left out')
  })

  /** Two names that only differ where providers see no difference. */
  function withoutTwins(listed: readonly ListedTool[]): readonly ListedTool[] {
    const taken = new Set<string>()
    return listed.filter((one) => {
      const full = mcpToolName(name, one.name)
      if (taken.has(full)) logger.warn({ server: name, tool: one.name }, 'a tool is left out: another has its name')
      return !taken.has(full) && taken.add(full)
    })
  }

  const asHostTool = ({ name: own, description, inputSchema }: ListedTool): HostTool => ({
    ...{ name: mcpToolName(name, own), description, inputSchema },
  })
  return { list: () => tools.map(asHostTool), call, close }
}

const isOffered = ({ allowedTools, disallowedTools }: McpTool, name: string): boolean =>
  (allowedTools === null || allowedTools.includes(name)) && !disallowedTools.includes(name)
