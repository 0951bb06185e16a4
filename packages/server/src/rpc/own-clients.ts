// The clients that the peer itself has attached to sessions.
import { clientChangeOf, type RpcMethod, type SessionId } from '@quarterdeck/protocol'
import type { RpcParams } from './read-message.ts'

export type OwnClients = ReturnType<typeof createOwnClients>

interface Call {
  readonly method: RpcMethod
  readonly params: RpcParams
}

export function createOwnClients() {
  const names = new Set<string>()
  const nameOf = (sessionId: SessionId, clientId: string) => `${sessionId} ${clientId}`
  return {
    has: (sessionId: SessionId, clientId: string): boolean => names.has(nameOf(sessionId, clientId)),
    /** Watches a call: a client is known before the session reports it as attached. */
    async note({ method, params }: Call, make: () => Promise<unknown>): Promise<unknown> {
      if (method === 'session.attach') {
        const change = clientChangeOf(method, params, undefined)
        if (change === null) return make()
        const name = nameOf(change.sessionId, change.clientId)
        const isNew = !names.has(name)
        names.add(name)
        return make().catch((error: unknown) => {
          if (isNew) names.delete(name)
          throw error
        })
      }
      const reply = await make()
      const change = clientChangeOf(method, params, reply)
      if (change?.isAttached === true) names.add(nameOf(change.sessionId, change.clientId))
      if (change?.isAttached === false) names.delete(nameOf(change.sessionId, change.clientId))
      return reply
    },
  }
}
