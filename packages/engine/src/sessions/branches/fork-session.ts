// Makes a session that starts with the conversation of another and continues separately.
import {
  type AgentDefinition,
  type Applied,
  cutText,
  type ForkSessionBody,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { PooledBackend } from '../../backends/backend-pool.ts'
import { forkWorkspace } from '../launch/prepare-workspace.ts'
import { capLimits, capMode } from '../rules/resolve-settings.ts'
import { type OperationContext, seedName } from '../runtime/operation-context.ts'
import type { RunningSession } from '../state/running-session.ts'
import { readLog } from '../streaming/read-log.ts'
import { branchConversation } from './branch-conversation.ts'
import { type ForkPoint, findForkPoint } from './fork-point.ts'
import { removeFailedSession } from './remove-session.ts'
import { whileResting } from './while-resting.ts'

export interface ForkRequest {
  readonly sessionId: SessionId
  readonly body: z.output<typeof ForkSessionBody>
  readonly by: string
  readonly owner: string
  readonly seed: string | undefined
}

/**
 * A fork does not get the session rules, clients and client tools of its source: they were allowed only there. For the
 * same reason limits and the permission mode are capped at the agent file's, as in every new session.
 */
export async function forkSession(context: OperationContext, request: ForkRequest): Promise<Applied> {
  context.refuseWhileDraining()
  const source = await context.coordinator.open(request.sessionId)
  const { fork, message } = await whileResting(context.coordinator, source, async () => {
    const known = await context.findSeeded(request.seed)
    // Looked up while no turn can run, so that the conversation does not grow meanwhile.
    const point = await findForkPoint(context.store, source.writer.state(), request.body)
    const branchRequest = { ...request, point }
    const made =
      known === null ? await branchOff(context, source, branchRequest) : await findAgain(context, source, known)
    return { fork: made, message: point.message }
  })
  if (message === undefined) return context.applied(fork, [])
  return (await context.queue(fork, { ...message, seed: request.seed }, request.by)).reply
}

interface BranchOff extends ForkRequest {
  readonly point: ForkPoint
}

async function branchOff(
  context: OperationContext,
  source: RunningSession,
  branchRequest: BranchOff,
): Promise<RunningSession> {
  const state = source.writer.state()
  const agent = await context.agents.load(state.agentName)
  const backend = await context.backendOf(agent)
  const toSessionId = context.newSessionId(branchRequest.seed)
  try {
    const running = await make(context, state, { ...branchRequest, agent, backend, toSessionId })
    const { by, point } = branchRequest
    await source.writer.apply({ type: 'session.note-fork', toSessionId, seq: point.seq, by })
    return running
  } catch (error) {
    await removeFailedSession(context, agent, toSessionId)
    throw error
  }
}

interface ForkBranch extends BranchOff {
  readonly agent: AgentDefinition
  readonly backend: PooledBackend
  readonly toSessionId: SessionId
}

async function make(
  context: OperationContext,
  state: SessionState,
  { agent, backend, toSessionId, body, by, owner, seed, point }: ForkBranch,
): Promise<RunningSession> {
  const cwd = await forkWorkspace(state, context.dataDir, toSessionId)
  const { sessionId: fromSessionId, backendSessionId: from } = state
  const branch = { fromSessionId, toSessionId, cwd }
  const backendSessionId =
    from === null ? null : await branchConversation(backend, { ...branch, backendSessionId: from }, point.cut)
  const { agentName, mode, model, modelSource, thinking, tags, instructions, allowedTools } = state
  const inherited = { agentName, mode, model, modelSource, thinking, tags }
  const permissionMode = capMode(agent.claude.permissionMode, state.permissionMode)
  const limits = capLimits(agent.limits, state.limits)
  // Images are in the log of the source.
  const unsaved = point.cut.unsaved.map(({ images, ...message }) => message)
  return context.coordinator.create(toSessionId, {
    type: 'session.create',
    ...inherited,
    permissionMode,
    limits,
    cwd,
    by,
    owner,
    ...(instructions === undefined ? {} : { instructions }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    title: body.title ?? titleOf(state),
    forkedFrom: { sessionId: fromSessionId, seq: point.seq },
    ...(backendSessionId === null ? {} : { backendSessionId }),
    ...(unsaved.length === 0 ? {} : { unsaved }),
    ...(seed === undefined ? {} : { seed: seedName(seed) }),
  })
}

const titleOf = ({ title }: SessionState): string | null => (title === '' ? null : `${cutText(title, 190)} (fork)`)

/** An earlier attempt made the fork, and may have died before it was recorded in the source. */
async function findAgain(
  context: OperationContext,
  source: RunningSession,
  toSessionId: SessionId,
): Promise<RunningSession> {
  const fork = await context.coordinator.open(toSessionId)
  for await (const event of readLog(context.store, source.writer.sessionId)) {
    if (event.type === 'AgentSessionForked' && event.data.toSessionId === toSessionId) return fork
  }
  const { forkedFrom, owner } = fork.writer.state()
  const seq = forkedFrom?.seq ?? source.writer.state().seq
  await source.writer.apply({ type: 'session.note-fork', toSessionId, seq, by: owner })
  return fork
}
