// The clients of a session. The first one with a tool runs it.
import type { EventOfType } from '../../events/session-event.ts'
import type { AttachedClient, SessionState } from './session-state.ts'

export function attachClient(state: SessionState, event: EventOfType<'ClientAttached'>): SessionState {
  const { clientId, tools } = event.data
  const client = { clientId, tools, at: event.at }
  const isKnown = state.clients.some((one) => one.clientId === clientId)
  const clients = isKnown
    ? state.clients.map((one) => (one.clientId === clientId ? client : one))
    : [...state.clients, client]
  return withClients(state, clients)
}

export const detachClient = (state: SessionState, { data }: EventOfType<'ClientDetached'>): SessionState =>
  withClients(
    state,
    state.clients.filter(({ clientId }) => clientId !== data.clientId),
  )

/** The client that runs a tool: the first one that offers it. */
export const leaderOf = (clients: readonly AttachedClient[], toolName: string): string | null =>
  clients.find(({ tools }) => tools.some(({ name }) => name === toolName))?.clientId ?? null

/** Open calls go to the client that leads now. */
const withClients = (state: SessionState, clients: AttachedClient[]): SessionState => ({
  ...state,
  clients,
  clientCalls: state.clientCalls.map((call) => ({ ...call, leader: leaderOf(clients, call.toolName) })),
})
