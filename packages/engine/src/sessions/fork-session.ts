// A session that begins with the conversation of another and goes its own way.
import {
  type AgentDefinition,
  type Applied,
  ForkSessionBody,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { AgentBackend } from '../backends/backend.ts'
import { checkedInput } from './checked-input.ts'
import { clearAway } from './clear-away.ts'
import { type Doorway, seedName } from './doorway.ts'
import { type ForkPoint, findForkPoint } from './fork-point.ts'
import type { LiveSession } from './live-session.ts'
import { forkWorkspace } from './prepare-workspace.ts'
import { readLog } from './read-log.ts'
import { cappedLimits, cappedMode } from './settle-settings.ts'
import { whileResting } from './while-resting.ts'

export interface ForkRequest {
  readonly sessionId: SessionId
  readonly body: ForkSessionBody
  readonly by: string
  readonly owner: string
  readonly seed: string | undefined
}

/**
 * Rules that people added, clients and their tools stay with the original: nobody allowed them here. For the same reason
 * limits and the permission mode are capped at the agent file's, as in every new session.
 */
export async function forkSession(door: Doorway, request: ForkRequest): Promise<Applied> {
  door.refuseWhileDraining()
  const body = checkedInput(ForkSessionBody, request.body)
  const source = await door.coordinator.open(request.sessionId)
  const { fork, message } = await whileResting(door.coordinator, source, async () => {
    const known = await door.findSeeded(request.seed)
    // Looked up while nothing can move: the end of a conversation is where it ends now.
    const point = await findForkPoint(door.store, source.writer.state(), body)
    const wish = { ...request, body, point }
    const made = known === null ? await branchOff(door, source, wish) : await findAgain(door, source, known)
    return { fork: made, message: point.message }
  })
  if (message === undefined) return door.applied(fork, [])
  const { messageId: _, ...reply } = await door.queue(fork, { ...message, seed: request.seed }, request.by)
  return reply
}

interface BranchOff extends Omit<ForkRequest, 'body'> {
  readonly body: z.output<typeof ForkSessionBody>
  readonly point: ForkPoint
}

async function branchOff(door: Doorway, source: LiveSession, wish: BranchOff): Promise<LiveSession> {
  const state = source.writer.state()
  const agent = await door.agents.load(state.agentName)
  const backend = await door.backendOf(agent)
  const toSessionId = door.newSessionId(wish.seed)
  try {
    const live = await make(door, state, { ...wish, agent, backend, toSessionId })
    await source.writer.apply({ type: 'session.note-fork', toSessionId, seq: wish.point.seq, by: wish.by })
    return live
  } catch (error) {
    await clearAway(door, agent, toSessionId)
    throw error
  }
}

interface NewFork extends BranchOff {
  readonly agent: AgentDefinition
  readonly backend: AgentBackend
  readonly toSessionId: SessionId
}

async function make(
  door: Doorway,
  state: SessionState,
  { agent, backend, toSessionId, body, by, owner, seed, point }: NewFork,
): Promise<LiveSession> {
  const cwd = await forkWorkspace(state, door.dataDir, toSessionId)
  const { sessionId: fromSessionId, backendSessionId: from } = state
  const branch = { fromSessionId, toSessionId, cwd, at: point.at }
  const backendSessionId = from === null ? null : await backend.branch({ ...branch, backendSessionId: from })
  const { agentName, mode, model, modelSource, thinking, tags } = state
  const permissionMode = cappedMode(agent.claude.permissionMode, state.permissionMode)
  const limits = cappedLimits(agent.limits, state.limits)
  const { instructions, allowedTools } = state
  return door.coordinator.create(toSessionId, {
    type: 'session.create',
    ...{ agentName, mode, model, modelSource, permissionMode, limits, thinking, tags, cwd, by, owner },
    ...(instructions === undefined ? {} : { instructions }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    title: body.title ?? titleOf(state),
    forkedFrom: { sessionId: fromSessionId, seq: point.seq },
    ...(backendSessionId === null ? {} : { backendSessionId }),
    ...(seed === undefined ? {} : { seed: seedName(seed) }),
  })
}

const titleOf = ({ title }: SessionState): string | null => (title === '' ? null : `${title.slice(0, 190)} (fork)`)

/** An earlier try made it, and may have died before it could tell the session it comes from. */
async function findAgain(door: Doorway, source: LiveSession, toSessionId: SessionId): Promise<LiveSession> {
  const fork = await door.coordinator.open(toSessionId)
  for await (const event of readLog(door.store, source.writer.sessionId)) {
    if (event.type === 'AgentSessionForked' && event.data.toSessionId === toSessionId) return fork
  }
  const { forkedFrom, owner } = fork.writer.state()
  const seq = forkedFrom?.seq ?? source.writer.state().seq
  await source.writer.apply({ type: 'session.note-fork', toSessionId, seq, by: owner })
  return fork
}
