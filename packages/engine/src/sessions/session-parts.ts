// What a session brings to its agent process: its say over tool calls, and its roads to people and clients.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { SessionOptions } from '../backends/backend.ts'
import { clientToolName, declaredClientTools, isClientToolOffered } from '../client-tool.ts'
import type { HookSource } from '../hooks/create-hook-points.ts'
import { createSessionHooks, type SessionHooks } from '../hooks/create-session-hooks.ts'
import { joinHooks } from '../hooks/join-hooks.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { Clock, Ids } from '../store/event-store.ts'
import type { ToolTrustStore } from '../store/tool-trust-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { CallHash } from '../tools/call-hash.ts'
import { sessionShape } from '../tools/session-shape.ts'
import type { AskExpiry } from './ask-expiry.ts'
import { createClientToolbox } from './client-toolbox.ts'
import { endingTools } from './ending-tools.ts'
import type { LiveSession } from './live-session.ts'
import { createPersonAsker } from './person-asker.ts'
import { createSessionPermissions } from './session-permissions.ts'
import { createSubagentBound, type SubagentBound } from './subagent-bound.ts'
import { createToolGate, type UnattendedCall } from './tool-gate.ts'
import { createToolTrust } from './tool-trust.ts'

export type BackendParts = Pick<SessionOptions, 'gate' | 'questions' | 'clientTools' | 'hooks'>

export interface SessionParts extends BackendParts {
  readonly subagents: SubagentBound
  readonly hooks: SessionHooks
}

export interface SessionPartsOptions {
  readonly store: ToolTrustStore
  readonly canAsk: boolean
  readonly onUnattended: (call: UnattendedCall) => void
  /** What no agent may reach: the access token, the database. */
  readonly hiddenPaths: readonly string[]
  /** What is asked may have to lapse. */
  readonly expiry: Pick<AskExpiry, 'watch' | 'watchCall'>
  /** Who listens to this agent: its own file, and the whole house. */
  readonly hooksOf: (agent: AgentDefinition) => HookSource
  readonly redactor: Redactor
  readonly hashCall: CallHash
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export function createSessionParts(
  options: SessionPartsOptions,
  live: LiveSession,
  agent: AgentDefinition,
): SessionParts {
  const { writer } = live
  const { sessionId } = writer
  const { canAsk, onUnattended, hiddenPaths, expiry, hashCall, redactor, clock, ids, logger } = options
  const deps = { writer, redactor, hashCall, clock, ids, logger }
  const subagents = createSubagentBound(agent.claude.subagents.maxParallel)
  const { claude, approvals } = agent
  const { expiresAfterMs } = approvals
  const shape = sessionShape(writer.state(), agent.tools)
  const toolbox = createClientToolbox({
    ...deps,
    waiters: live.clientCalls,
    declared: declaredClientTools(agent.tools),
    isOffered: (name) => isClientToolOffered(claude, name) && shape.has(clientToolName(name)),
    onChange: live.clientTools.onChange,
    onCalled: (times) => expiry.watchCall(sessionId, times),
  })
  const gate = createToolGate({
    ...deps,
    waiters: live.approvals,
    canAsk,
    onUnattended,
    subagents,
    expiresAfterMs,
    permissions: createSessionPermissions(agent, writer.state, hiddenPaths),
    trust: createToolTrust({ agent, store: options.store, offered: () => live.backend?.hostTools() ?? [] }),
    onRequested: (approvalId, expiresAt) => expiry.watch(sessionId, approvalId, expiresAt),
  })
  const asker = createPersonAsker({
    ...{ ...deps, waiters: live.questions, canAsk, expiresAfterMs },
    onAsked: (questionId, expiresAt) => expiry.watch(sessionId, questionId, expiresAt),
  })

  return {
    subagents,
    gate: live.changedInputs.listenTo(gate),
    questions: asker,
    clientTools: toolbox,
    hooks: createSessionHooks(
      joinHooks(
        options.hooksOf(agent),
        endingTools(() => writer.state().clients),
      ),
      sessionId,
    ),
  }
}
