// The services of a session for its agent process: the tool gate, the question asker and the client tools.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { SessionOptions } from '../../backends/backend.ts'
import type { HookSource } from '../../hooks/create-hook-points.ts'
import { createSessionHooks, type SessionHooks } from '../../hooks/create-session-hooks.ts'
import { joinHooks } from '../../hooks/join-hooks.ts'
import type { CallHash } from '../../permissions/calls/call-hash.ts'
import { selectSessionTools } from '../../permissions/tools/session-tools.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Redactor } from '../../redaction/redact.ts'
import type { ToolTrustStore } from '../../store/ports/tool-trust-store.ts'
import { clientToolName, declaredClientTools, isClientToolOffered } from '../../tool-names/client-tool-names.ts'
import { createClientToolCaller } from '../asks/client-tool-caller.ts'
import { createQuestionAsker } from '../asks/question-asker.ts'
import { createSessionPermissions } from '../asks/session-permissions.ts'
import { createToolGate, type UnattendedCall } from '../asks/tool-gate.ts'
import { createToolTrust } from '../asks/tool-trust.ts'
import type { RunningSession } from '../state/running-session.ts'
import { createSubagentBound, type SubagentBound } from '../state/subagent-bound.ts'
import { turnEndingTools } from './turn-ending-tools.ts'

export type AgentServices = Pick<SessionOptions, 'gate' | 'questions' | 'clientTools' | 'hooks'>

export interface SessionAgentServices extends AgentServices {
  readonly subagents: SubagentBound
  readonly hooks: SessionHooks
}

export interface AgentServicesOptions {
  readonly store: ToolTrustStore
  readonly canAsk: boolean
  readonly onUnattended: (call: UnattendedCall) => void
  /** Paths that no agent may reach: the access token, the database. */
  readonly hiddenPaths: readonly string[]
  /** The hooks of the agent file, joined with those of the engine. */
  readonly hooksOf: (agent: AgentDefinition) => HookSource
  readonly redactor: Redactor
  readonly hashCall: CallHash
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export function createAgentServices(
  options: AgentServicesOptions,
  running: RunningSession,
  agent: AgentDefinition,
): SessionAgentServices {
  const { writer } = running
  const { sessionId } = writer
  const { canAsk, onUnattended, hiddenPaths, hashCall, redactor, clock, ids, logger } = options
  const deps = { writer, waiters: running.asks, redactor, hashCall, clock, ids, logger }
  const subagents = createSubagentBound(agent.claude.subagents.maxParallel)
  const { claude, approvals } = agent
  const { expiresAfterMs } = approvals
  const sessionTools = selectSessionTools(writer.state(), agent.tools)
  const clientTools = createClientToolCaller({
    ...deps,
    declared: declaredClientTools(agent.tools),
    isOffered: (name) => isClientToolOffered(claude, name) && sessionTools.has(clientToolName(name)),
    onChange: running.clientToolChanges.listen,
  })
  const gate = createToolGate({
    ...deps,
    canAsk,
    onUnattended,
    subagents,
    expiresAfterMs,
    permissions: createSessionPermissions(agent, writer.state, hiddenPaths),
    trust: createToolTrust({
      agent,
      store: options.store,
      offered: () => running.process.backend()?.hostTools() ?? [],
    }),
  })
  const questions = createQuestionAsker({ ...deps, canAsk, expiresAfterMs })

  return {
    subagents,
    gate: running.changedInputs.listenTo(gate),
    questions,
    clientTools,
    hooks: createSessionHooks(
      joinHooks(
        options.hooksOf(agent),
        turnEndingTools(() => writer.state().clients),
      ),
      sessionId,
    ),
  }
}
