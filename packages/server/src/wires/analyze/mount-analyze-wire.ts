// The analysis pair: a question about tables that lie in a browser. The agent asks, the browser runs its queries.
import { createHash } from 'node:crypto'
import type { SessionService } from '@quarterdeck/engine'
import {
  AnalyzeBody,
  type AnalyzeQuery,
  analyzeRoutes,
  type ClientCallId,
  finalAnswerTool,
  isQuarterdeckError,
  QuarterdeckError,
  type SessionState,
  type ToolResultBody,
} from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'
import { parseInput } from '../../http/parse-input.ts'
import { readBody } from '../../http/read-body.ts'
import { sendText } from '../../http/send-text.ts'
import { idempotencyKeyOf } from '../../middleware/idempotency.ts'
import { readCall, requirePermission } from '../../routing/mount-route.ts'
import type { MountWire, WireDeps } from '../wire.ts'
import { analysisPrincipal, isParked, readAnalysis } from './analysis-session.ts'
import type { AnalysisWatchers } from './analysis-watchers.ts'
import { generateSql } from './generate-sql.ts'
import { openAnalysisWatchers } from './open-analysis-watchers.ts'
import { StartedAnalysis, startAnalysis } from './start-analysis.ts'
import { stopAnalysis } from './stop-analysis.ts'
import { type AnalysisDeps, streamAnalysis } from './stream-analysis.ts'
import { toolOutput } from './tool-output.ts'
import { requireToolToken, toolTokenOf } from './tool-token.ts'

export interface AnalyzeWireOptions {
  /** How long an open call waits without a reader, 5 minutes unless said. */
  readonly expiryMs?: number
}

export function createAnalyzeWire({ expiryMs = 5 * 60_000 }: AnalyzeWireOptions = {}): MountWire {
  // By what ends a house: who reads an analysis at a door and who reads it on the server's port read the same one.
  const watchersByServer = new WeakMap<AbortSignal, AnalysisWatchers>()
  return (app, wireDeps) => {
    const { closing, background, logger, sessionsOf } = wireDeps
    const open = () =>
      openAnalysisWatchers({ sessions: sessionsOf(analysisPrincipal), expiryMs, closing, background, logger })
    const watchers = watchersByServer.get(closing) ?? open()
    watchersByServer.set(closing, watchers)
    const deps: AnalysisDeps = { ...wireDeps, watchers }
    app.post(analyzeRoutes.start.path, (c) => postQuestion(c, deps))
    app.get(analyzeRoutes.stream.path, (c) => getStream(c, deps))
    app.delete(analyzeRoutes.cancel.path, (c) => deleteQuestion(c, deps))
    app.post(analyzeRoutes.toolResult.path, (c) => postToolResult(c, deps))
    app.post(analyzeRoutes.generateSql.path, (c) => postSqlQuestion(c, deps))
  }
}

export const mountAnalyzeWire: MountWire = createAnalyzeWire()

const reply = (c: Context<AppEnv>, status: number, body: string): Response =>
  sendText(c, { status, type: 'application/json', body })

interface KeyedCall {
  readonly deps: WireDeps
  /** Its body. */
  readonly text: string
}

/** Under an idempotency key it happens once: the second time gets what came of the first. As JSON. */
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
  requirePermission(c, analyzeRoutes.start)
  const text = await readBody(c)
  const { query, body } = readCall(c, analyzeRoutes.start, text)
  const { sessions, by } = callerOf(c, deps)
  // What is kept for a retry is not the reply itself: there is a secret in it.
  const stored = await once(c, { deps, text }, async (seed) =>
    startAnalysis(deps, body, { sessions, by, agent: query.agent, seed }),
  )
  const { sessionId, after } = StartedAnalysis.parse(JSON.parse(stored))
  deps.watchers.watch(sessionId)
  const streamUrl = `${analyzeRoutes.stream.path}?sessionId=${sessionId}&after=${after}`
  return reply(c, 201, JSON.stringify({ sessionId, streamUrl, toolToken: toolTokenOf(deps, sessionId) }))
}

async function getStream(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analyzeRoutes.stream)
  const { query } = readCall(c, analyzeRoutes.stream, '')
  const { sessions } = callerOf(c, deps)
  const lastEventId = c.req.header('last-event-id')
  const { sessionId, after } = query
  if (sessionId !== undefined) {
    if (query.question !== undefined) throw refused('sessionId and question are two ways: use one of them')
    return streamAnalysis(c, deps, { sessions, sessionId, after, lastEventId })
  }
  // Whoever only wants to see the head is to start nothing.
  if (c.req.method === 'HEAD') return c.body(null, 200)
  const started = await startByAddress(c, deps, query)
  const toolToken = toolTokenOf(deps, started.sessionId)
  return streamAnalysis(c, deps, { sessions, ...started, after: String(started.after), lastEventId, toolToken })
}

interface FoundAnalysis extends StartedAnalysis {
  readonly isGuessed?: boolean
}

/** A browser that lost the connection asks the same address once more: it is to find what it had started. */
async function startByAddress(c: Context<AppEnv>, deps: AnalysisDeps, query: AnalyzeQuery): Promise<FoundAnalysis> {
  requirePermission(c, analyzeRoutes.start)
  refuseOtherSites(c)
  const { sessions, by } = callerOf(c, deps)
  const address = new URL(c.req.url).search
  const tag = `stream-${createHash('sha256').update(`${by}\n${address}`).digest('hex').slice(0, 32)}`
  if (c.req.header('last-event-id') !== undefined) {
    const found = (await sessions.list({ tag })).sessions.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    // Two pages may have asked the same: one of them still reads its own.
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

/** The list itself, or an object that has it. */
function tablesOf(schema: string): unknown {
  try {
    const value: unknown = JSON.parse(schema)
    return typeof value === 'object' && value !== null && 'tables' in value ? value.tables : value
  } catch (cause) {
    throw new QuarterdeckError('request.invalid', 'query.schema: is not JSON', { cause })
  }
}

/** An image or a link of any page asks without an `Origin`, cookies included: it is to start nothing. */
function refuseOtherSites(c: Context<AppEnv>): void {
  const site = c.req.header('sec-fetch-site')
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (!isForeign || c.req.header('origin') !== undefined) return
  throw new QuarterdeckError('auth.origin-refused', 'pages of other origins may not start an analysis')
}

async function deleteQuestion(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analyzeRoutes.cancel)
  const { query } = readCall(c, analyzeRoutes.cancel, await readBody(c))
  const { sessions, by } = callerOf(c, deps)
  await stopAnalysis(sessions, query.sessionId, by)
  return reply(c, 202, JSON.stringify({ sessionId: query.sessionId }))
}

async function postToolResult(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analyzeRoutes.toolResult)
  const text = await readBody(c)
  const { body } = readCall(c, analyzeRoutes.toolResult, text)
  const { sessions, by } = callerOf(c, deps)
  const { sessionId, toolCallId } = body
  const session = await readAnalysis(sessions, sessionId)
  requireToolToken(deps, sessionId, c.req.header('x-tool-token'))
  const taken = await once(c, { deps, text }, async () => {
    requireOpenCall(session, toolCallId)
    await giveBack(sessions, body, by)
    return { sessionId, toolCallId }
  })
  // Nobody may read it: what the model makes of the result is taken all the same.
  deps.watchers.watch(sessionId)
  return reply(c, 202, taken)
}

/** A token is good for the calls of its own session; the last word is nobody's to return. */
function requireOpenCall(session: SessionState, callId: ClientCallId): void {
  const settled = session.settled.find(({ id }) => id === callId)
  const open = session.clientCalls.find((call) => call.callId === callId)
  if (open === undefined && settled === undefined) throw unknownCall(callId)
  if (open?.toolName === finalAnswerTool) throw unknownCall(callId)
  if (settled?.how === 'expired') throw gone('nobody returned its result in time')
  if (open !== undefined && isParked(session)) throw gone('nobody was there for this analysis')
}

/** Whoever has returned it first may have been somebody else, a moment ago. */
async function giveBack(sessions: SessionService, body: ToolResultBody, by: string): Promise<void> {
  const { toolCallId: callId } = body
  try {
    await sessions.returnClientCall(callId, toolOutput(body), by)
  } catch (error) {
    if (isQuarterdeckError(error, 'client-call.already-returned') && error.facts.how === 'expired') {
      throw gone('nobody returned its result in time')
    }
    throw error
  }
}

async function postSqlQuestion(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analyzeRoutes.generateSql)
  const text = await readBody(c)
  const { query, body } = readCall(c, analyzeRoutes.generateSql, text)
  const caller = { ...callerOf(c, deps), agent: query.agent, signal: c.req.raw.signal }
  return reply(c, 200, await once(c, { deps, text }, () => generateSql(deps, body, caller)))
}

const refused = (detail: string) => new QuarterdeckError('request.invalid', detail)

const unknownCall = (callId: string) =>
  new QuarterdeckError('client-call.not-found', `there is no ${JSON.stringify(callId)} in this analysis`)

const gone = (why: string) =>
  new QuarterdeckError('analysis.expired', `${why}: wake it with POST ${analyzeRoutes.start.path} {"sessionId": …}`)
