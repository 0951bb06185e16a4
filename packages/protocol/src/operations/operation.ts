// An operation as data. The HTTP routes, the JSON-RPC methods, the checks of owner and permission, the OpenAPI document
// and the typed client are made from it.
import type { z } from 'zod'
import type { Permission } from '../access/scope.ts'
import type { ErrorCode } from '../errors/quarterdeck-error.ts'
import type { PathIdName } from './path-ids.ts'

export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** OpenAPI style: `/v1/sessions/{sessionId}`. Its ids are declared in `path-ids.ts`. */
  readonly path: string
  /** The JSON-RPC method; `null` if there is none. */
  readonly rpc: string | null
  readonly summary: string
  /** 200 by default. */
  readonly status?: 201 | 202
  /** The permission that the caller needs; `nothing` is open to all. */
  readonly permission: Permission | 'nothing'
  readonly belongsTo: BelongsTo
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Its body may contain images, so its size limit is larger. */
  readonly takesImages?: true
  /** Changes accept an idempotency key, except with this reason. */
  readonly refusesIdempotencyKey?: string
  /**
   * Refused with `server.draining` while the server drains, except a repeated request that has a stored reply. Deciding
   * and stopping stay possible.
   */
  readonly startsWork?: true
  /**
   * `optional`: it answers with JSON or server-sent events. `only`: it answers only with server-sent events. It has its
   * own handler.
   */
  readonly eventStream?: 'optional' | 'only'
  /** Headers that its handler reads. Those of idempotency keys and of streams follow from other fields. */
  readonly requestHeaders?: z.ZodRawShape
  /** Over JSON-RPC, few of these run at once: their replies wait in memory for a peer that does not read. */
  readonly hasLargeReply?: true
  readonly reply: z.ZodType
  /** Those of its own. The OpenAPI document adds the errors that follow from other fields. */
  readonly errors: readonly ErrorCode[]
}

/**
 * Whose data it reads or changes. `own-sessions.ts` of the engine limits the operations of the session service by it.
 * Operations elsewhere may only be `implementation` or `none`.
 *
 * - `session`: the session of its first id. Other owners get `session.not-found`.
 * - `ask`: the approval, question or client call of its first id, in the same way.
 * - `items`: this list of the reply, whose items name their session. Items of other owners are left out. If the field
 *   `session` of the query names a session, the caller must own it.
 * - `owner`: this field of the query is set to the caller's owner.
 * - `implementation`: the implementation limits it to the caller.
 * - `none`: it reads or changes nothing that belongs to an owner.
 */
export type BelongsTo =
  | 'session'
  | 'ask'
  | 'implementation'
  | 'none'
  | { readonly items: string; readonly session?: string }
  | { readonly owner: string }

/** Not part of the session service, so nothing else limits it to the caller. */
export type OtherOperation = Operation & { readonly belongsTo: 'implementation' | 'none' }

/** The names in the braces of a path, in order. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathNames<Rest>]
  : []

/** The ids of a path, of which the first one identifies the owner. */
type IdsFor<Owner extends BelongsTo> = Owner extends 'session'
  ? ['sessionId', ...PathIdName[]]
  : Owner extends 'ask'
    ? ['approvalId' | 'questionId' | 'callId', ...PathIdName[]]
    : PathIdName[]

/** A path whose ids are not declared or do not fit `belongsTo` does not compile. */
export const operation = <const One extends Operation>(
  definition: PathNames<One['path']> extends IdsFor<One['belongsTo']> ? One : never,
): One => definition
