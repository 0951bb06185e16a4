// One question, one query: a session of the agent without tools, so that it is recorded like any other.
import type { SessionService } from '@quarterdeck/engine'
import {
  type EventOfType,
  type GeneratedSql,
  type GenerateSqlBody,
  isQuarterdeckError,
  QuarterdeckError,
  type SessionId,
} from '@quarterdeck/protocol'
import { agentFor, type WireDeps } from '../wire.ts'
import { restFailure } from './analysis-failure.ts'
import { sqlInstructions } from './analysis-prompt.ts'
import { isAtRest } from './analysis-session.ts'
import { readSql } from './read-sql.ts'
import { modelOf, titleOf } from './start-analysis.ts'

type SqlDeps = Pick<WireDeps, 'agents' | 'agent' | 'closing'>

export interface SqlCall {
  readonly sessions: SessionService
  readonly by: string
  readonly agent: string | undefined
  /** The caller has disconnected. */
  readonly signal: AbortSignal
}

export async function generateSql(
  deps: SqlDeps,
  { question, tables, tier }: GenerateSqlBody,
  { sessions, by, agent: named, signal }: SqlCall,
): Promise<GeneratedSql> {
  const agent = await deps.agents.load(await agentFor(deps, named))
  const { sessionId } = await sessions.createSession(
    {
      agent: agent.name,
      mode: 'task',
      message: question,
      title: titleOf(question),
      tags: ['sql'],
      ...modelOf(agent, tier),
      thinking: null,
      instructions: sqlInstructions(tables),
      allowedTools: [],
    },
    by,
  )
  try {
    const { outcome, result } = await turnOf(sessions, sessionId, AbortSignal.any([signal, deps.closing]))
    if (outcome === 'budget_limit') throw await unpaid(sessions, sessionId)
    if (outcome !== 'completed') throw failed(`the model did not answer: ${result.errorReason ?? outcome}`, sessionId)
    const { session } = await sessions.getSession(sessionId)
    const found = readSql(result.response)
    if (found === null) {
      const detail = `the model returned no SQL for this question: rephrase it (session ${sessionId} has the answer)`
      throw new QuarterdeckError('analysis.no-sql', detail, { facts: { sessionId } })
    }
    return { ...found, units: session.units, costUsd: session.hasUnpricedUsage ? null : session.costUsd }
  } finally {
    await end(sessions, sessionId, by)
  }
}

async function turnOf(
  sessions: SessionService,
  sessionId: SessionId,
  signal: AbortSignal,
): Promise<EventOfType<'TurnEnded'>['data']> {
  for await (const event of sessions.follow(sessionId, 0, signal)) {
    if (event.type === 'TurnEnded') return event.data
    if (event.type !== 'AgentSessionStatusChanged' || !isAtRest(event.data.to)) continue
    // Without a turn no more events come: it was cancelled in the queue, or a budget refused it.
    if (event.data.to === 'stopped_budget') throw await unpaid(sessions, sessionId)
    throw failed(restFailure(event.data.to, event.data.reason).message, sessionId)
  }
  throw failed('it was stopped before the model answered', sessionId)
}

/** The reason of the budget that refused it. */
async function unpaid(sessions: SessionService, sessionId: SessionId): Promise<QuarterdeckError> {
  const { session } = await sessions.getSession(sessionId)
  const detail = session.statusReason ?? 'no budget is left for this question'
  return new QuarterdeckError('backend.budget', detail, { facts: { sessionId } })
}

const failed = (detail: string, sessionId: SessionId) =>
  new QuarterdeckError('analysis.failed', detail, { facts: { sessionId } })

/** A task that completed has closed itself. */
async function end(sessions: SessionService, sessionId: SessionId, by: string): Promise<void> {
  try {
    const { session } = await sessions.getSession(sessionId)
    if (session.status !== 'completed') await sessions.cancel(sessionId, by)
  } catch (error) {
    if (!isQuarterdeckError(error)) throw error
  }
}
