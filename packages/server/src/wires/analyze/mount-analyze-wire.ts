// Analysis of tables in a browser: the agent asks, and the browser runs its queries.
import { createHash } from 'node:crypto'
import type { SessionService } from '@quarterdeck/engine'
import {
  AnalyzeBody,
  type AnalyzeQuery,
  analysisOperations,
  type ClientCallId,
  finalAnswerTool,
  isQuarterdeckError,
  parseInput,
  QuarterdeckError,
  type SessionState,
  type ToolResultBody,
} from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'
import { readBody } from '../../http/read-body.ts'
import { sendText } from '../../http/send-text.ts'
import { idempotencyKeyOf } from '../../middleware/idempotency.ts'
import { isCrossSite } from '../../middleware/refuse-cross-site.ts'
import { readInput, requirePermission } from '../../routing/mount-operations.ts'
import type { MountWire, WireDeps } from '../wire.ts'
import { analysisPrincipal, isParked, readAnalysis } from './analysis-session.ts'
import { type AnalysisWatchers, openAnalysisWatchers } from './analysis-watchers.ts'
import { generateSql } from './generate-sql.ts'
import { StartedAnalysis, startAnalysis } from './start-analysis.ts'
import { stopAnalysis } from './stop-analysis.ts'
import { type AnalysisDeps, streamAnalysis } from './stream-analysis.ts'
import { toolOutput } from './tool-output.ts'
import { requireToolToken, toolTokenOf } from './tool-token.ts'

export interface AnalyzeWireOptions {
  /** How long an open call waits without a reader; 5 minutes by default. */
  readonly expiryMs?: number
}

export function createAnalyzeWire({ expiryMs = 5 * 60_000 }: AnalyzeWireOptions = {}): MountWire {
  // One per server: readers on a compatibility listener and on the main port share their watchers.
  const watchersByServer = new WeakMap<AbortSignal, AnalysisWatchers>()
  return (app, wireDeps) => {
    const { closing, background, logger, sessionsOf } = wireDeps
    const open = () =>
      openAnalysisWatchers({ sessions: sessionsOf(analysisPrincipal), expiryMs, closing, background, logger })
    const watchers = watchersByServer.get(closing) ?? open()
    watchersByServer.set(closing, watchers)
    const deps: AnalysisDeps = { ...wireDeps, watchers }
    app.post(analysisOperations.startAnalysis.path, (c) => postQuestion(c, deps))
    app.get(analysisOperations.streamAnalysis.path, (c) => getStream(c, deps))
    app.delete(analysisOperations.cancelAnalysis.path, (c) => deleteQuestion(c, deps))
    app.post(analysisOperations.returnToolResult.path, (c) => postToolResult(c, deps))
    app.post(analysisOperations.generateSql.path, (c) => postSqlQuestion(c, deps))
  }
}

export const mountAnalyzeWire: MountWire = createAnalyzeWire()

const reply = (c: Context<AppEnv>, status: number, body: string): Response =>
  sendText(c, { status, type: 'application/json', body })

interface KeyedCall {
  readonly deps: WireDeps
  /** The body of the request. */
  readonly text: string
}

/** Runs once per idempotency key: a second request gets the stored result. Returns JSON. */
async function once(
  c: Context<AppEnv>,
  { deps, text }: KeyedCall,
  execute: (seed: string | undefined) => Promise<object>,
): Promise<string> {
  const key = idempotencyKeyOf(c.req.header('idempotency-key'))
  if (key === null) return JSON.stringify(await execute(undefined))
  const { name: principal } = c.get('principal')
  const { pathname, search } = new URL(c.req.url)
  const request = { principal, key, method: c.req.method, path: pathname + search, body: text }
  const seed = [principal, key, request.path, text].join('\n')
  const run = async () => ({ status: 200, body: JSON.stringify(await execute(seed)) })
  const { body, isReplay } = await deps.idempotency.run(request, run)
  if (isReplay) c.header('idempotent-replay', 'true')
  return body
}

const callerOf = (c: Context<AppEnv>, deps: WireDeps) => {
  const principal = c.get('principal')
  return { sessions: deps.sessionsOf(principal), by: principal.name }
}

async function postQuestion(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.startAnalysis)
  const text = await readBody(c)
  const { query, body } = readInput(c, analysisOperations.startAnalysis, text)
  const { sessions, by } = callerOf(c, deps)
  // Stores only the ids for a retry, not the reply, which contains a secret.
  const stored = await once(c, { deps, text }, async (seed) =>
    startAnalysis(deps, body, { sessions, by, agent: query.agent, seed }),
  )
  const { sessionId, after } = StartedAnalysis.parse(JSON.parse(stored))
  deps.watchers.watch(sessionId)
  const streamUrl = `${analysisOperations.streamAnalysis.path}?sessionId=${sessionId}&after=${after}`
  return reply(c, 201, JSON.stringify({ sessionId, streamUrl, toolToken: toolTokenOf(deps, sessionId) }))
}

async function getStream(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.streamAnalysis)
  const { query } = readInput(c, analysisOperations.streamAnalysis, '')
  const { sessions } = callerOf(c, deps)
  const lastEventId = c.req.header('last-event-id')
  const { sessionId, after } = query
  if (sessionId !== undefined) {
    if (query.question !== undefined) throw refused('use either sessionId or question, not both')
    return streamAnalysis(c, deps, { sessions, sessionId, after, lastEventId })
  }
  // A HEAD request must not start anything.
  if (c.req.method === 'HEAD') return c.body(null, 200)
  const started = await startByAddress(c, deps, query)
  const toolToken = toolTokenOf(deps, started.sessionId)
  return streamAnalysis(c, deps, { sessions, ...started, after: String(started.after), lastEventId, toolToken })
}

interface FoundAnalysis extends StartedAnalysis {
  readonly isGuessed?: boolean
}

/** A browser that lost the connection requests the same URL again, and must find the analysis it started. */
async function startByAddress(c: Context<AppEnv>, deps: AnalysisDeps, query: AnalyzeQuery): Promise<FoundAnalysis> {
  requirePermission(c, analysisOperations.startAnalysis)
  // An image or a link of any page sends no `Origin`, but cookies: it must not start an analysis.
  if (isCrossSite(c))
    throw new QuarterdeckError('auth.origin-refused', 'pages of other origins may not start an analysis')
  const { sessions, by } = callerOf(c, deps)
  const address = new URL(c.req.url).search
  const tag = `stream-${createHash('sha256').update(`${by}\n${address}`).digest('hex').slice(0, 32)}`
  if (c.req.header('last-event-id') !== undefined) {
    const found = (await sessions.listSessions({ tag })).sessions.toSorted((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    )
    // Two pages may have asked the same question: one of them still reads its own.
    const known = found.find(({ sessionId }) => !deps.watchers.isRead(sessionId)) ?? found[0]
    if (known !== undefined) return { sessionId: known.sessionId, after: 0, isGuessed: found.length > 1 }
  }
  const body = parseInput(AnalyzeBody, bodyOf(query), 'query')
  return startAnalysis(deps, body, { sessions, by, agent: query.agent, seed: undefined, tag })
}

function bodyOf({ question, schema, tier, thinking }: AnalyzeQuery): object {
  return {
    ...(question === undefined ? {} : { question }),
    ...(schema === undefined ? {} : { tables: tablesOf(schema) }),
    ...(tier === undefined || tier === '' ? {} : { tier }),
    thinking: thinking === 'true' || thinking === '1',
  }
}

/** The list itself, or an object that contains it. */
function tablesOf(schema: string): unknown {
  try {
    const value: unknown = JSON.parse(schema)
    return typeof value === 'object' && value !== null && 'tables' in value ? value.tables : value
  } catch (cause) {
    throw new QuarterdeckError('request.invalid', 'query.schema: is not JSON', { cause })
  }
}

async function deleteQuestion(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.cancelAnalysis)
  const text = await readBody(c)
  const { sessionId } = readInput(c, analysisOperations.cancelAnalysis, text).query
  const { sessions, by } = callerOf(c, deps)
  const stopped = await once(c, { deps, text }, async () => {
    await stopAnalysis(sessions, sessionId, by)
    return { sessionId }
  })
  return reply(c, 202, stopped)
}

async function postToolResult(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.returnToolResult)
  const text = await readBody(c)
  const { body } = readInput(c, analysisOperations.returnToolResult, text)
  const { sessions, by } = callerOf(c, deps)
  const { sessionId, toolCallId } = body
  const session = await readAnalysis(sessions, sessionId)
  requireToolToken(deps, sessionId, c.req.header('x-tool-token'))
  const taken = await once(c, { deps, text }, async () => {
    requireOpenCall(session, toolCallId)
    await giveBack(sessions, body, by)
    return { sessionId, toolCallId }
  })
  // Watched even without a reader, so that the result is processed.
  deps.watchers.watch(sessionId)
  return reply(c, 202, taken)
}

/** A token is valid for the calls of its session. Clients may not return the final answer. */
function requireOpenCall(session: SessionState, callId: ClientCallId): void {
  const settled = session.settled.find(({ id }) => id === callId)
  const open = session.clientCalls.find((call) => call.callId === callId)
  if (open === undefined && settled === undefined) throw unknownCall(callId)
  if (open?.toolName === finalAnswerTool) throw unknownCall(callId)
  if (settled?.how === 'expired') throw gone('its result was not returned in time')
  if (open !== undefined && isParked(session)) throw gone('the browser of this analysis was not connected')
}

/** Another client may have returned it just before. */
async function giveBack(sessions: SessionService, body: ToolResultBody, by: string): Promise<void> {
  const { toolCallId: callId } = body
  try {
    await sessions.returnClientCall(callId, toolOutput(body), by)
  } catch (error) {
    if (isQuarterdeckError(error, 'client-call.already-returned') && error.facts.how === 'expired') {
      throw gone('its result was not returned in time')
    }
    throw error
  }
}

async function postSqlQuestion(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.generateSql)
  const text = await readBody(c)
  const { query, body } = readInput(c, analysisOperations.generateSql, text)
  const caller = { ...callerOf(c, deps), agent: query.agent, signal: c.req.raw.signal }
  return reply(c, 200, await once(c, { deps, text }, () => generateSql(deps, body, caller)))
}

const refused = (detail: string) => new QuarterdeckError('request.invalid', detail)

const unknownCall = (callId: string) =>
  new QuarterdeckError('client-call.not-found', `there is no call ${JSON.stringify(callId)} in this analysis`)

const gone = (why: string) =>
  new QuarterdeckError(
    'analysis.expired',
    `${why}: wake it with POST ${analysisOperations.startAnalysis.path} {"sessionId": …}`,
  )
