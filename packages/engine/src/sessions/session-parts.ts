// What a session brings to its agent process: its say over tool calls, and its roads to people and clients.
import type { AgentDefinition, ApprovalId } from '@quarterdeck/protocol'
import type { HookPoints, SessionOptions } from '../backends/backend.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createPermissionCheck } from '../tools/permission-check.ts'
import type { LiveSession } from './live-session.ts'
import { createSubagentBound, type SubagentBound } from './subagent-bound.ts'
import { createToolGate } from './tool-gate.ts'

export type BackendParts = Pick<SessionOptions, 'gate' | 'questions' | 'clientTools' | 'hooks'>

export interface SessionParts extends BackendParts {
  readonly subagents: SubagentBound
}

export interface SessionPartsOptions {
  readonly canAsk: boolean
  /** What no agent may reach: the access token, the database. */
  readonly hiddenPaths: readonly string[]
  /** A question was asked: it may have to lapse. */
  readonly onRequested: (live: LiveSession, approvalId: ApprovalId, expiresAt: string | null) => void
  /** What the whole house hears of every agent. */
  readonly hooks: HookPoints
  readonly redactor: Redactor
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export function createSessionParts(
  options: SessionPartsOptions,
  live: LiveSession,
  agent: AgentDefinition,
): SessionParts {
  const { writer, waiters } = live
  const { canAsk, hiddenPaths, redactor, clock, ids, logger } = options
  const subagents = createSubagentBound(agent.claude.subagents.maxParallel)
  const { claude, approvals } = agent
  const gate = createToolGate({
    ...{ writer, waiters, canAsk, subagents, redactor, clock, ids, logger },
    permissions: createPermissionCheck({ claude, cwd: writer.state().cwd, approvals, hiddenPaths }),
    expiresAfterMs: approvals.expiresAfterMs,
    onRequested: (approvalId, expiresAt) => options.onRequested(live, approvalId, expiresAt),
  })

  /** The turn gave its place away while it waited: it has to have one again before it uses the answer. */
  const andGoOn = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const given = await answer
    await live.pause.over()
    return given
  }

  return {
    subagents,
    gate: { check: gate.check, ask: (call, signal) => andGoOn(gate.ask(call, signal)) },
    questions: {
      ask: async () => ({ type: 'declined', message: 'Questions are not supported yet.' }),
    },
    clientTools: {
      list: () => [],
      onChange: () => () => undefined,
      call: async () => ({ output: 'Client tools are not supported yet.', isError: true }),
    },
    hooks: options.hooks,
  }
}
