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
  readonly status: 200 | 201 | 202
  /** The permission that the caller needs; `nothing` is open to all. */
  readonly permission: Permission | 'nothing'
  readonly belongsTo: BelongsTo
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Its body may contain pictures, so its size limit is larger. */
  readonly takesImages?: true
  /** A change without idempotency: its reply is not stored, and each request is answered anew. */
  readonly isKeyless?: true
  readonly reply: z.ZodType
  readonly errors: readonly ErrorCode[]
}

/**
 * Whose data it reads or changes, which decides how it is limited to the caller's own sessions.
 *
 * - `session`: the session of its first id. For others than its owner there is no such session.
 * - `ask`: the approval, question or client call of its first id, in the same way.
 * - `items`: this list of the reply, whose items name their session. Items of other owners are left out. If the field
 *   `session` of the query names a session, the caller must own it.
 * - `owner`: this field of the query is set to the caller's owner.
 * - `none`: it reads or changes nothing that belongs to an owner.
 */
export type BelongsTo =
  | 'session'
  | 'ask'
  | 'none'
  | { readonly items: string; readonly session?: string }
  | { readonly owner: string }

/** The names in the braces of a path, in order. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathNames<Rest>]
  : []

/** An id of the path that is not declared does not compile. */
type KnownPath<Path extends string> = PathNames<Path>[number] extends PathIdName ? Path : never

export const operation = <const One extends Operation>(
  definition: One & { readonly path: KnownPath<One['path']> },
): One => definition
