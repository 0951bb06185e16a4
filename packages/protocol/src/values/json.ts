import { z } from 'zod'

/** A JSON object as it came from a model, a tool or a provider: kept whole, never interpreted here. */
export const JsonObject = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof JsonObject>
