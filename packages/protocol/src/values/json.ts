import { z } from 'zod'

/** A JSON object from a model, a tool or a provider. It is passed on unchanged and never interpreted here. */
export const JsonObject = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof JsonObject>

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A copy of the object, or an empty one for every other value. */
export const asJsonObject = (value: unknown): JsonObject => (isRecord(value) ? { ...value } : {})
