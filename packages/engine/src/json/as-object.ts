import type { JsonObject } from '@quarterdeck/protocol'

/** What came from outside, as the object it should be; empty for anything else. */
export const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
