// The clients of a session and their tools.
import {
  type AttachClient,
  type DetachClient,
  draft,
  type EventDraft,
  QuarterdeckError,
  type SessionState,
} from '@quarterdeck/protocol'
import { canonicalJson } from '../../permissions/calls/normalise-input.ts'

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
