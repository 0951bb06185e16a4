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

/** A request whose answer is being looked at. */
export interface AnsweredRequest extends NewRequest {
  /** The answer could not be used: the same id takes another, unless nobody waits any more. */
  reopen(): void
}

export interface OpenRequests {
  /** The id it goes out under. */
  ask(request: NewRequest): RpcId
  /** Nobody waits any more: the other end is told, unless it has answered. */
  cancel(id: RpcId): void
  /** An answer came: the request is open no longer. `undefined` for one that nobody waits for. */
  take(id: RpcId): AnsweredRequest | undefined
}

export function createOpenRequests(send: (message: object) => void): OpenRequests {
  const open = new Map<RpcId, NewRequest>()
  /** Those that may be asked for again: until they are cancelled. */
  const wanted = new Set<RpcId>()
  let count = 0
  return {
    take(id) {
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
    ask(request) {
      count += 1
      const id = `ask-${count}`
      open.set(id, request)
      wanted.add(id)
      send({ jsonrpc: '2.0', id, method: request.method, params: request.params })
      return id
    },
    cancel(id) {
      wanted.delete(id)
      if (!open.delete(id)) return
      send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
    },
  }
}
