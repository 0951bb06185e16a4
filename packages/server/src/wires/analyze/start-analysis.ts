// Starts a new analysis, asks a further question, or wakes a parked one.
import { isClientToolOffered, type SessionService } from '@quarterdeck/engine'
import {
  type AgentDefinition,
  type AnalyzeBody,
  analysisTools,
  modelAliasesFor,
  QuarterdeckError,
  resumeObstacle,
  SessionId,
  type SessionState,
  type Thinking,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import { agentFor, type WireDeps } from '../wire.ts'
import { analysisInstructions, levelText, questionText } from './analysis-prompt.ts'
import { analysisClient, analysisPrincipal, analysisTag, isAtRest, isParked, readAnalysis } from './analysis-session.ts'
import { questionBegan } from './stream-analysis.ts'

export interface AnalysisCall {
  readonly sessions: SessionService
  readonly by: string
  /** As the client names it. */
  readonly agent: string | undefined
  /** The same seed gives the same analysis. */
  readonly seed: string | undefined
  /** An additional tag to find it by. */
  readonly tag?: string
}

export const StartedAnalysis = z.object({
  sessionId: SessionId,
  /** The last event before the question. */
  after: z.int(),
})
export type StartedAnalysis = z.infer<typeof StartedAnalysis>

export async function startAnalysis(deps: WireDeps, body: AnalyzeBody, call: AnalysisCall): Promise<StartedAnalysis> {
  const { sessionId } = body
  if (sessionId !== undefined)
    return continueAnalysis(deps, body, { ...call, session: await readAnalysis(call.sessions, sessionId) })
  const { question = '', tables = [], tier, thinking = false } = body
  const agent = await deps.agents.load(await agentFor(deps, call.agent))
  const instructions = analysisInstructions({ tables, level: levelOf(body), tools: toolsOf(agent) })
  const created = await call.sessions.createSession(
    {
      agent: agent.name,
      mode: 'chat',
      message: question,
      title: titleOf(question),
      ...modelOf(agent, tier),
      thinking: thinkingOf(thinking),
      tags: [analysisTag, ...(call.tag === undefined ? [] : [call.tag])],
      client: analysisClient,
      instructions,
      allowedTools: analysisTools.map(({ name }) => name),
    },
    call.by,
    call.seed,
  )
  return { sessionId: created.sessionId, after: 0 }
}

/** A session takes one question at a time; without a question it continues the current one. */
async function continueAnalysis(
  deps: WireDeps,
  body: AnalyzeBody,
  { session, sessions, by, seed }: AnalysisCall & { readonly session: SessionState },
): Promise<StartedAnalysis> {
  const { sessionId, seq, status } = session
  const { question, tier, thinking } = body
  if (question !== undefined && !isAtRest(status)) {
    const detail = `analysis ${sessionId} still works on a question: cancel it, or wait for its answer`
    throw new QuarterdeckError('session.busy', detail)
  }
  if (tier !== undefined || thinking !== undefined) {
    const changed = thinking === undefined ? {} : { thinking: thinkingOf(thinking) }
    // Part of asking, as in the first question: needs no further permission. Invalid settings wake nothing.
    const allSessions = deps.sessionsOf(analysisPrincipal)
    await allSessions.changeSession(sessionId, { ...(tier === undefined ? {} : { model: tier }), ...changed }, by)
  }
  if (isParked(session)) await sessions.attachClient(sessionId, analysisClient, by)
  if (question !== undefined)
    await sessions.sendMessage(sessionId, { content: await contentOf(deps, body, session) }, by, seed)
  else {
    const obstacle = resumeObstacle(session)
    // A spent limit refuses the resume: the stream reports the reason again, from the start of the question.
    if (obstacle === 'out-of-money' || obstacle === 'out-of-time')
      return { sessionId, after: await questionBegan(sessions, sessionId) }
    if (obstacle === null && (session.wasCutOff || status === 'paused')) await sessions.resume(sessionId, by)
  }
  return { sessionId, after: seq }
}

async function contentOf(
  { agents }: Pick<WireDeps, 'agents'>,
  { question = '', tables, level }: AnalyzeBody,
  { agentName }: SessionState,
): Promise<string> {
  const text = tables === undefined ? question : questionText(question, tables, toolsOf(await agents.load(agentName)))
  return level === undefined ? text : `${text}\n\nFrom now on: ${levelText(level)}`
}

/** The tools of an analysis that the agent file allows. */
const toolsOf = ({ claude }: AgentDefinition) => analysisTools.filter(({ name }) => isClientToolOffered(claude, name))

/** Tiers are for Claude models. An agent of another provider uses the model of its file, unless a tier is requested. */
export function modelOf(agent: AgentDefinition, tier: AnalyzeBody['tier']): { readonly model?: string } {
  if (tier === undefined && modelAliasesFor(agent).length === 0) return {}
  return { model: tier ?? 'high' }
}

/** Thinking tokens, if thinking is requested. */
const thinkingBudget = 4000

const thinkingOf = (isWanted: boolean): Thinking => (isWanted ? { budgetTokens: thinkingBudget } : null)

const levelOf = ({ level, tables = [] }: AnalyzeBody): number =>
  level ?? (tables.some(({ sample = [] }) => sample.length > 0) ? 2 : 1)

/** On one line. */
export function titleOf(question: string): string {
  const line = question.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()
  return line === '' ? 'Analysis' : [...line].slice(0, 100).join('')
}
