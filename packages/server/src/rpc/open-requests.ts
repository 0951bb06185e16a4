// What this end asked of the other one and has no answer to yet.
import type { rpcRequests } from '@quarterdeck/protocol'
import type { RpcId } from './read-message.ts'

export type RequestMethod = keyof typeof rpcRequests

export interface NewRequest {
  readonly method: RequestMethod
  readonly params: unknown
  /** Takes the result to where it belongs. */
  readonly settle: (result: unknown) => Promise<unknown>
}

export interface OpenRequests {
  /** The id it goes out under. */
  ask(request: NewRequest): RpcId
  /** Tells the other end that nobody waits any more. Nothing happens where it has answered. */
  cancel(id: RpcId): void
  /** An answer came: the request is open no longer. `undefined` for one that nobody waits for. */
  take(id: RpcId): NewRequest | undefined
}

export function createOpenRequests(send: (message: object) => void): OpenRequests {
  const open = new Map<RpcId, NewRequest>()
  let count = 0
  const take = (id: RpcId): NewRequest | undefined => {
    const request = open.get(id)
    open.delete(id)
    return request
  }
  return {
    take,
    ask(request) {
      count += 1
      const id = `ask-${count}`
      open.set(id, request)
      send({ jsonrpc: '2.0', id, method: request.method, params: request.params })
      return id
    },
    cancel(id) {
      if (take(id) === undefined) return
      send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
    },
  }
}
