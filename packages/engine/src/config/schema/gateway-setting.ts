import { z } from 'zod'

/** `on` is a word in YAML 1.2 and a boolean for tools that still read 1.1. */
export const GatewaySetting = z.union([z.enum(['on', 'off']), z.boolean()], { error: 'expected on or off' })
export type GatewaySetting = z.infer<typeof GatewaySetting>
