import { z } from 'zod'
import { ClientDeclaration } from '../operations/sessions.ts'
import { SessionId } from '../values/ids.ts'
import type { RpcMethod } from './rpc-methods.ts'

export interface ClientChange {
  readonly sessionId: SessionId
  readonly clientId: string
  readonly isAttached: boolean
}

const Attached = z.object({ sessionId: SessionId, clientId: ClientDeclaration.shape.clientId })
const Started = z.object({ client: z.object({ clientId: ClientDeclaration.shape.clientId }) })
const Reply = z.object({ sessionId: SessionId })

/** The client that a call attaches to a session or detaches from it; `null` for other calls. */
export function clientChangeOf(method: RpcMethod, params: unknown, reply: unknown): ClientChange | null {
  if (method === 'session.start') {
    const clientId = Started.safeParse(params).data?.client.clientId
    const sessionId = Reply.safeParse(reply).data?.sessionId
    return clientId === undefined || sessionId === undefined ? null : { sessionId, clientId, isAttached: true }
  }
  if (method !== 'session.attach' && method !== 'session.detach') return null
  const { data } = Attached.safeParse(params)
  return data === undefined ? null : { ...data, isAttached: method === 'session.attach' }
}
