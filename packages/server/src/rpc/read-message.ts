// Parses and validates incoming JSON-RPC 2.0 messages.
import { isRecord, rpcErrorCodes } from '@quarterdeck/protocol'
import { parseBoundedJson } from '../http/read-body.ts'
import type { RpcError } from './rpc-error.ts'

export type RpcId = string | number
export type RpcParams = Readonly<Record<string, unknown>>

export type RpcMessage =
  | { readonly type: 'call'; readonly id: RpcId | undefined; readonly method: string; readonly params: RpcParams }
  | { readonly type: 'result'; readonly id: RpcId; readonly result: unknown }
  | { readonly type: 'error'; readonly id: RpcId | null }
  | { readonly type: 'invalid'; readonly id: RpcId | null; readonly error: RpcError }

/** The answers of a batch are held until all are ready. */
const maxBatch = 100

export interface RpcText {
  readonly isBatch: boolean
  readonly messages: readonly RpcMessage[]
}

export function readMessages(text: string): RpcText {
  const single = (message: RpcMessage): RpcText => ({ isBatch: false, messages: [message] })
  const parsed = parseBoundedJson(text)
  if (parsed.type === 'too-deep') return single(refused(parsed.why))
  if (parsed.type === 'not-json')
    return single(invalid(null, { code: rpcErrorCodes.parse, message: 'this is not JSON' }))
  const { value } = parsed
  if (!Array.isArray(value)) return single(readMessage(value))
  if (value.length === 0) return single(refused('a batch must not be empty'))
  if (value.length > maxBatch) return single(refused(`a batch may have at most ${maxBatch} messages`))
  return { isBatch: true, messages: value.map(readMessage) }
}

function readMessage(value: unknown): RpcMessage {
  if (!isRecord(value)) return refused('a message must be an object')
  const { jsonrpc, id, method, params } = value
  const known = isId(id) ? id : null
  if (jsonrpc !== '2.0') return refused('jsonrpc must be "2.0"', known)
  if (method === undefined) return readAnswer(value, known)
  if (typeof method !== 'string') return refused('method must be a string', known)
  if (id !== undefined && known === null) return refused(wrongId)
  if (params !== undefined && !isRecord(params)) {
    const error = { code: rpcErrorCodes.invalidParams, message: 'params must be an object with named values' }
    return known === null ? refused(error.message) : invalid(known, error)
  }
  return { type: 'call', id: known ?? undefined, method, params: params ?? {} }
}

function readAnswer(value: RpcParams, id: RpcId | null): RpcMessage {
  if ('error' in value) return { type: 'error', id }
  if ('result' in value && id !== null) return { type: 'result', id, result: value.result }
  return refused('a message needs a method, a result or an error', id)
}

/** An unsafe integer was already rounded by the parser: its answer would have a wrong id. */
const isId = (value: unknown): value is RpcId => typeof value === 'string' || Number.isSafeInteger(value)

const wrongId = `id must be a string, or a whole number of at most ${Number.MAX_SAFE_INTEGER}`

const invalid = (id: RpcId | null, error: RpcError): RpcMessage => ({ type: 'invalid', id, error })

const refused = (message: string, id: RpcId | null = null): RpcMessage =>
  invalid(id, { code: rpcErrorCodes.invalidRequest, message })
