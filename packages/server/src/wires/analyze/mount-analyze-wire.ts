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
  type Principal,
  parseInput,
  QuarterdeckError,
  type SessionState,
  type ToolResultBody,
} from '@quarterdeck/protocol'
import type { Context } from 'hono'
import { requirePermission } from '../../auth/require-permission.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { isCrossSite } from '../../middleware/refuse-cross-site.ts'
import { refuseWhileDraining } from '../../middleware/refuse-while-draining.ts'
import { mountOperation, type OperationRequest, readInput } from '../../operations/mount-operations.ts'
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
    const mount = { ...wireDeps, app }
    mountOperation(mount, analysisOperations.startAnalysis, (request) => postQuestion(request, deps))
    app.get(analysisOperations.streamAnalysis.path, (c) => getStream(c, deps))
    mountOperation(mount, analysisOperations.cancelAnalysis, (request) => deleteQuestion(request, deps))
    mountOperation(mount, analysisOperations.returnToolResult, (request) => postToolResult(request, deps))
    mountOperation(mount, analysisOperations.generateSql, (request) => postSqlQuestion(request, deps))
  }
}

export const mountAnalyzeWire: MountWire = createAnalyzeWire()

type RequestFor<Name extends keyof typeof analysisOperations> = OperationRequest<(typeof analysisOperations)[Name]>

const callerOf = (principal: Principal, deps: WireDeps) => ({
  sessions: deps.sessionsOf(principal),
  by: principal.name,
})

async function postQuestion(request: RequestFor<'startAnalysis'>, deps: AnalysisDeps): Promise<string> {
  const { body, query, principal, once } = request
  // Stores only the ids for a retry, not the reply, which contains a secret.
  const stored = await once((seed) =>
    startAnalysis(deps, body, { ...callerOf(principal, deps), agent: query.agent, seed }),
  )
  const { sessionId, after } = StartedAnalysis.parse(JSON.parse(stored))
  deps.watchers.watch(sessionId)
  const streamUrl = `${analysisOperations.streamAnalysis.path}?sessionId=${sessionId}&after=${after}`
  return JSON.stringify({ sessionId, streamUrl, toolToken: toolTokenOf(deps, sessionId) })
}

async function getStream(c: Context<AppEnv>, deps: AnalysisDeps): Promise<Response> {
  requirePermission(c, analysisOperations.streamAnalysis)
  const { query } = readInput(c, analysisOperations.streamAnalysis, '')
  const { sessions } = callerOf(c.get('principal'), deps)
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
  const { sessions, by } = callerOf(c.get('principal'), deps)
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
  refuseWhileDraining(deps.isDraining)
  const body = parseInput(AnalyzeBody, bodyOf(query), 'query')
  return startAnalysis(deps, body, { sessions, by, agent: query.agent, seed: undefined, tag })
}

const bodyOf = ({ question, schema, tier, thinking }: AnalyzeQuery): object => ({
  ...(question === undefined ? {} : { question }),
  ...(schema === undefined ? {} : { tables: tablesOf(schema) }),
  ...(tier === undefined || tier === '' ? {} : { tier }),
  thinking: thinking === 'true' || thinking === '1',
})

/** The list itself, or an object that contains it. */
function tablesOf(schema: string): unknown {
  try {
    const value: unknown = JSON.parse(schema)
    return typeof value === 'object' && value !== null && 'tables' in value ? value.tables : value
  } catch (cause) {
    throw new QuarterdeckError('request.invalid', 'query.schema: is not JSON', { cause })
  }
}

async function deleteQuestion(request: RequestFor<'cancelAnalysis'>, deps: AnalysisDeps): Promise<string> {
  const { sessionId } = request.query
  const { sessions, by } = callerOf(request.principal, deps)
  return request.once(async () => {
    await stopAnalysis(sessions, sessionId, by)
    return { sessionId }
  })
}

async function postToolResult(request: RequestFor<'returnToolResult'>, deps: AnalysisDeps): Promise<string> {
  const { body, principal, raw, once } = request
  const { sessionId, toolCallId } = body
  const { sessions, by } = callerOf(principal, deps)
  const session = await readAnalysis(sessions, sessionId)
  requireToolToken(deps, sessionId, raw.headers.get('x-tool-token') ?? undefined)
  const taken = await once(async () => {
    requireOpenCall(session, toolCallId)
    await giveBack(sessions, body, by)
    return { sessionId, toolCallId }
  })
  // Watched even without a reader, so that the result is processed.
  deps.watchers.watch(sessionId)
  return taken
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

function postSqlQuestion(request: RequestFor<'generateSql'>, deps: AnalysisDeps): Promise<string> {
  const { body, query, principal, raw, once } = request
  const caller = { ...callerOf(principal, deps), agent: query.agent, signal: raw.signal }
  return once(() => generateSql(deps, body, caller))
}

const refused = (detail: string) => new QuarterdeckError('request.invalid', detail)

const unknownCall = (callId: string) =>
  new QuarterdeckError('client-call.not-found', `there is no call ${JSON.stringify(callId)} in this analysis`)

const gone = (why: string) =>
  new QuarterdeckError(
    'analysis.expired',
    `${why}: wake it with POST ${analysisOperations.startAnalysis.path} {"sessionId": …}`,
  )
