// The clients of a session, and the calls of the tools that they run.
import {
  type AttachClient,
  type CallClient,
  type ClientCallId,
  type DetachClient,
  draft,
  type EventDraft,
  type ExpireClientCall,
  lateResult,
  type OpenClientCall,
  QuarterdeckError,
  type ReturnClientCall,
  type SessionState,
  type TakeUpClientCall,
  unreportedResult,
} from '@quarterdeck/protocol'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'
import { originInTurn, requireTurnOver, settleAsk, waitAlso } from './settle-ask.ts'

/** Attaching again with the same tools changes nothing. */
export function attachClient(state: SessionState, { clientId, tools, by }: AttachClient): readonly EventDraft[] {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new QuarterdeckError('request.invalid', `tools: "${twice}" is declared twice`)
  const known = state.clients.find((client) => client.clientId === clientId)
  if (known !== undefined && canonicalJson(known.tools) === canonicalJson(tools)) return []
  return [draft('ClientAttached', { clientId, tools: [...tools], by })]
}

/** The open calls of the client go to the next one, or wait for one. */
export function detachClient(state: SessionState, { clientId, by }: DetachClient): readonly EventDraft[] {
  const isThere = state.clients.some((client) => client.clientId === clientId)
  return isThere ? [draft('ClientDetached', { clientId, by })] : []
}

export function callClient(state: SessionState, command: CallClient): readonly EventDraft[] {
  const { type: _, agent, ...call } = command
  return [draft('ClientToolCalled', call, originInTurn(state, agent)), ...waitAlso(state, 'waiting_client')]
}

/** From here on the turn waits for the open call. Nothing to do if the result came first. */
export function takeUpClientCall(state: SessionState, { callId }: TakeUpClientCall): readonly EventDraft[] {
  const call = state.clientCalls.find((open) => open.callId === callId)
  if (call === undefined) return []
  const takenUp = draft('ClientToolTakenUp', { callId }, originInTurn(state, call.agent))
  return [takenUp, ...waitAlso(state, 'waiting_client')]
}

export function returnClientCall(state: SessionState, command: ReturnClientCall): readonly EventDraft[] {
  const { callId, output, isError, by, isLive, wakeMessageId } = command
  const call = requireOpenCall(state, callId)
  if (!isLive) requireTurnOver(state, { id: callId, turnId: call.turnId, keepsAsks: command.keepsAsks === true })
  const origin = { agent: call.agent, ...(state.turn === null ? {} : { turnId: state.turn.turnId }) }
  const returned = draft('ClientToolReturned', { callId, output, isError, by, wasLive: isLive }, origin)
  const unreported = isLive ? null : unreportedResult(call, returned.data)
  return [returned, ...settleAsk(state, { id: callId, unreported, wakeMessageId })]
}

export function expireClientCall(state: SessionState, command: ExpireClientCall): readonly EventDraft[] {
  const { wakeMessageId } = command
  const call = requireOpenCall(state, command.callId)
  const { callId, agent } = call
  const unreported = state.turn?.turnId === call.turnId ? null : unreportedResult(call, lateResult)
  return [
    draft('ClientToolExpired', { callId }, { agent }),
    ...settleAsk(state, { id: callId, unreported, wakeMessageId }),
  ]
}

function requireOpenCall(state: SessionState, callId: ClientCallId): OpenClientCall {
  const open = state.clientCalls.find((call) => call.callId === callId)
  if (open !== undefined) return open
  const settled = state.settled.find(({ id }) => id === callId)
  if (settled === undefined) throw new QuarterdeckError('client-call.not-found', `there is no client call ${callId}`)
  const { how, by, at } = settled
  const what = how === 'expired' ? `expired at ${at}` : `was answered by ${by} at ${at}`
  throw new QuarterdeckError('client-call.already-returned', `client call ${callId} ${what}`, {
    facts: { how, returnedBy: by, returnedAt: at },
  })
}
