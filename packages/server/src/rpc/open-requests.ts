// Requests to the peer that are not answered yet.
import type { rpcRequests } from '@quarterdeck/protocol'
import type { RpcId } from './read-message.ts'

export type RequestMethod = keyof typeof rpcRequests

export interface NewRequest {
  readonly method: RequestMethod
  readonly params: unknown
  /** Applies the result. */
  readonly settle: (result: unknown) => Promise<unknown>
}

/** A request whose answer is being processed. */
export interface AnsweredRequest extends NewRequest {
  /** The answer was refused: the same id accepts another one, unless the request was cancelled. */
  reopen(): void
}

export type OpenRequests = ReturnType<typeof createOpenRequests>

export function createOpenRequests(send: (message: object) => void) {
  const open = new Map<RpcId, NewRequest>()
  /** Requests that may be reopened until they are cancelled. */
  const wanted = new Set<RpcId>()
  let count = 0
  return {
    /** Closes an answered request. `undefined` for an unknown or cancelled one. */
    take(id: RpcId): AnsweredRequest | undefined {
      const request = open.get(id)
      if (request === undefined) return undefined
      open.delete(id)
      return {
        ...request,
        reopen() {
          if (wanted.has(id)) open.set(id, request)
        },
      }
    },
    /** The id under which it is sent. */
    ask(request: NewRequest): RpcId {
      count += 1
      const id = `ask-${count}`
      open.set(id, request)
      wanted.add(id)
      send({ jsonrpc: '2.0', id, method: request.method, params: request.params })
      return id
    },
    /** Cancels the request and tells the peer, unless it has answered. */
    cancel(id: RpcId) {
      wanted.delete(id)
      if (!open.delete(id)) return
      send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
    },
  }
}
