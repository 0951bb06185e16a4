// The faults of a model endpoint and their schedule. Scenario files use these names.
import { z } from 'zod'

const afterDeltas = z.int().nonnegative().default(3)

export const Fault = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(400).max(599),
    message: z.string().optional(),
    retry_after_seconds: z.number().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal('reset_before_headers') }),
  z.strictObject({ type: z.literal('reset_mid_stream'), after_deltas: afterDeltas }),
  z.strictObject({ type: z.literal('stall'), after_deltas: afterDeltas }),
  z.strictObject({ type: z.literal('malformed_sse'), after_deltas: afterDeltas }),
  z.strictObject({
    type: z.literal('error_event'),
    after_deltas: afterDeltas,
    error: z.string().default('overloaded_error'),
    message: z.string().default('Overloaded'),
  }),
  z.strictObject({ type: z.literal('slow_first_byte'), delay_ms: z.int().nonnegative() }),
  z.strictObject({ type: z.literal('overlong_tool_input'), bytes: z.int().positive().default(1_000_000) }),
])
export type Fault = z.infer<typeof Fault>
export type FaultInput = z.input<typeof Fault>

/** Counts only model requests, from 1: `nth` occurs once, `first` on the first n, `every` always. */
export interface FaultRule {
  readonly fault: FaultInput
  readonly on: { readonly nth: number } | { readonly first: number } | 'every'
  /** `messages` by default; each kind is counted separately. */
  readonly of?: 'messages' | 'embeddings'
}

export function createFaultSchedule(rules: readonly FaultRule[]): (requestNumber: number) => Fault | null {
  const parsed = rules.map((rule) => ({ fault: Fault.parse(rule.fault), on: rule.on }))
  return (requestNumber) => parsed.find((rule) => strikes(rule.on, requestNumber))?.fault ?? null
}

function strikes(on: FaultRule['on'], requestNumber: number): boolean {
  if (on === 'every') return true
  return 'nth' in on ? on.nth === requestNumber : requestNumber <= on.first
}
