// The clients that the peer itself has attached to sessions.
import { ClientDeclaration, type RpcMethod, SessionId } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { RpcParams } from './read-message.ts'

export interface OwnClients {
  has(sessionId: SessionId, clientId: string): boolean
  /** Watches a call: a client is known before the session reports it as attached. */
  note(call: { readonly method: RpcMethod; readonly params: RpcParams }, make: () => Promise<unknown>): Promise<unknown>
}

const Attached = z.object({ sessionId: SessionId, clientId: ClientDeclaration.shape.clientId })
const Started = z.object({ client: z.object({ clientId: ClientDeclaration.shape.clientId }) })
const Reply = z.object({ sessionId: SessionId })

export function createOwnClients(): OwnClients {
  const names = new Set<string>()
  const nameOf = (sessionId: SessionId, clientId: string) => `${sessionId} ${clientId}`
  return {
    has: (sessionId, clientId) => names.has(nameOf(sessionId, clientId)),
    async note({ method, params }, make) {
      if (method === 'session.attach') {
        const { data } = Attached.safeParse(params)
        if (data === undefined) return make()
        const name = nameOf(data.sessionId, data.clientId)
        const isNew = !names.has(name)
        names.add(name)
        return make().catch((error: unknown) => {
          if (isNew) names.delete(name)
          throw error
        })
      }
      const reply = await make()
      if (method === 'session.detach') {
        const { data } = Attached.safeParse(params)
        if (data !== undefined) names.delete(nameOf(data.sessionId, data.clientId))
      }
      if (method === 'session.start') {
        const clientId = Started.safeParse(params).data?.client.clientId
        const sessionId = Reply.safeParse(reply).data?.sessionId
        if (clientId !== undefined && sessionId !== undefined) names.add(nameOf(sessionId, clientId))
      }
      return reply
    },
  }
}
