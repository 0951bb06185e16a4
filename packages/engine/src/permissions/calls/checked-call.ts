import type { JsonObject } from '@quarterdeck/protocol'

/** A call of a tool, as the permission rules read it. */
export interface CheckedCall {
  readonly toolName: string
  readonly toolInput: JsonObject
}
