// Logs the end of a turn, with the costs and asks that belong to it.
import {
  type EventDraft,
  modelLabel,
  type SessionEvent,
  type SessionId,
  type SessionState,
  type TurnId,
  type Unreported,
} from '@quarterdeck/protocol'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AgentProcesses } from '../launch/agent-processes.ts'
import { type StoreRetries, untilStoreResponds, untilWritten } from '../state/retry-until-stored.ts'
import type { RunningSession } from '../state/running-session.ts'
import { resumeIfLifted } from './resume-funded-sessions.ts'

export interface TurnEndOptions extends StoreRetries {
  readonly ids: Ids
  readonly money: Pick<SessionSpending, 'afterTurn' | 'isLifted'>
  /** The credential to check when the provider refuses the key. */
  readonly keyVariableOf: (agentName: string) => Promise<string>
  readonly processes: Pick<AgentProcesses, 'close'>
  /** Resolves when no booking of the session is being written. */
  readonly booked: (sessionId: SessionId) => Promise<void>
}

export async function recordTurnEnd(
  options: TurnEndOptions,
  running: RunningSession,
  { turnId, reported }: { readonly turnId: TurnId; readonly reported: EventDraft<'TurnEnded'> },
): Promise<void> {
  const { ids, logger, money, processes } = options
  const { writer, phase, asks } = running
  const { refusedKey, openedWith, isHandedOver } = phase.endingTurn()
  // A turn that ends without its last answer, for example on a full disk, can be faster than the booking.
  await options.booked(writer.sessionId)
  const endWithReason = await withRefusedKey(options, running, { refusedKey, reported })
  const { ended, heldTo, ...terms } = await money.afterTurn(writer, turnId, endWithReason)
  await running.steerInOrder(async () => undefined) // waits for messages that are being handed over
  const isGone = ended.data.outcome === 'crashed'
  if (isGone) {
    await processes.close(running)
    asks.forgetReceived()
  }
  const keepsAsks = isGone || phase.isDetaching()
  const missed: Unreported[] = []
  await untilWritten(options, running, () => {
    missed.push(...asks.missed()) // read once, although the write may be retried
    return { type: 'answer.miss', missed, keepsAsks }
  })
  const events = await untilWritten(options, running, {
    type: 'turn.end',
    ended,
    ...terms,
    heldTo: { ...openedWith, ...heldTo },
    keepsAsks,
    isHandedOver,
    wakeMessageId: ids.next('umsg'),
  })
  logger.info(turnLogLine(writer.state(), events), 'turn ended')
  if (writer.state().status === 'cancelling') await untilWritten(options, running, { type: 'session.confirm-cancel' })
  await untilStoreResponds(options, running, () => resumeIfLifted(options, running))
}

/** A retry would not help, and the process may not report the cause. */
async function withRefusedKey(
  options: TurnEndOptions,
  running: RunningSession,
  { refusedKey, reported }: { readonly refusedKey: number | null; readonly reported: EventDraft<'TurnEnded'> },
): Promise<EventDraft<'TurnEnded'>> {
  const { outcome } = reported.data
  if (refusedKey === null || (outcome !== 'interrupted' && outcome !== 'failed')) return reported
  const errorReason = `the provider refused the key (${refusedKey}): check ${await keyNameOf(options, running)}`
  const result = { ...reported.data.result, isError: true, errorReason }
  return { ...reported, data: { ...reported.data, outcome: 'failed', result } }
}

/** The turn must end even without an agent file. */
async function keyNameOf({ keyVariableOf, logger }: TurnEndOptions, { writer }: RunningSession): Promise<string> {
  const { sessionId, state } = writer
  try {
    return await keyVariableOf(state().agentName)
  } catch (error) {
    logger.warn({ sessionId, error }, 'the agent file does not say which key was refused')
    return 'the key of this agent'
  }
}

/** The fields of the one log line of each turn. */
function turnLogLine(state: SessionState, events: readonly SessionEvent[]): Readonly<Record<string, unknown>> {
  const ended = events.find((event) => event.type === 'TurnEnded')
  if (ended === undefined) return { sessionId: state.sessionId, status: state.status }
  const { outcome, durationMs, result } = ended.data
  return {
    sessionId: state.sessionId,
    turnId: ended.turnId,
    agent: state.agentName,
    outcome,
    ...(result.errorReason === null ? {} : { reason: result.errorReason }),
    durationMs,
    turns: result.numTurns,
    model: modelLabel({ ...state, model: state.lastModel ?? state.model }),
    tools: [...new Set(result.toolCalls.map((call) => call.name))],
    toolCalls: result.toolCalls.length,
    sessionCostUsd: Number(state.costUsd.toFixed(6)),
    status: state.status,
  }
}
