// Gives a session its agent process: the definition as the file says now, a way to the model, and the gate.
import type { AgentDefinition, ApprovalId, SessionState } from '@quarterdeck/protocol'
import type { AgentBackend } from '../backends/backend.ts'
import type { ModelGateway } from '../model-gateway.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createPermissionCheck } from '../tools/permission-check.ts'
import type { LiveSession } from './live-session.ts'
import type { AgentShelf } from './session-service.ts'
import { createSubagentBound } from './subagent-bound.ts'
import { createToolGate } from './tool-gate.ts'

export interface BackendOpening {
  readonly agents: AgentShelf
  readonly models: ModelGateway
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly canAsk: boolean
  /** What no agent may reach: the access token, the database. */
  readonly hiddenPaths: readonly string[]
  /** A question was asked: it may have to lapse. */
  readonly onRequested: (live: LiveSession, approvalId: ApprovalId, expiresAt: string | null) => void
  readonly redactor: Redactor
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export async function openBackend(
  opening: BackendOpening,
  live: LiveSession,
): Promise<NonNullable<LiveSession['backend']>> {
  const { writer, waiters } = live
  const state = writer.state()
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(state.sessionId, { ...agent, modelSource: state.modelSource })
  const { cwd } = state
  const subagents = createSubagentBound(agent.claude.subagents.maxParallel)
  const gate = createToolGate({
    writer,
    waiters,
    permissions: createPermissionCheck({
      claude: agent.claude,
      cwd,
      approvals: agent.approvals,
      hiddenPaths: opening.hiddenPaths,
    }),
    canAsk: opening.canAsk,
    expiresAfterMs: agent.approvals.expiresAfterMs,
    onRequested: (approvalId, expiresAt) => opening.onRequested(live, approvalId, expiresAt),
    subagents,
    redactor: opening.redactor,
    clock: opening.clock,
    ids: opening.ids,
    logger: opening.logger,
  })
  const backend = await opening.backendOf(agent)
  const session = await backend.createSession({
    sessionId: state.sessionId,
    cwd,
    model: state.model,
    modelSource: state.modelSource,
    permissionMode: state.permissionMode,
    limits: remainingLimits(state),
    gate,
    modelAccess,
    resume: state.backendSessionId,
  })
  return { session, subagents, isMetered: modelAccess.type === 'gateway' }
}

/** What the backend fences itself with: the whole turn limit, and the money that is left. */
function remainingLimits({ limits, costUsd }: SessionState) {
  return { ...limits, maxBudgetUsd: Math.max(0.000001, limits.maxBudgetUsd - costUsd) }
}
