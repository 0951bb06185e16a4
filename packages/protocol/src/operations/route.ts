// A route as data: the server builds its handlers and the OpenAPI document from it, and the client its calls.
import type { z } from 'zod'
import type { Permission } from '../access/scope.ts'
import type { ErrorCode } from '../errors/quarterdeck-error.ts'

export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** OpenAPI style: `/v1/sessions/{sessionId}`. */
  readonly path: string
  readonly summary: string
  readonly status: 200 | 201 | 202
  /** The permission that the caller needs; `nothing` is open to all. */
  readonly needs: Permission | 'nothing'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Its body may contain pictures, so its size limit is larger. */
  readonly takesImages?: true
  /** A change without idempotency: its reply is not stored, and each request is answered anew. */
  readonly isKeyless?: true
  readonly reply: z.ZodType
  readonly errors: readonly ErrorCode[]
}

export const route = <const One extends Route>(definition: One): One => definition
