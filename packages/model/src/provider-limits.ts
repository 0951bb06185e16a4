// The limits of a provider per model family and minute. Cache reads do not count towards input.

export interface ProviderLimits {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The period of the three numbers: a minute, unless a test scales it down. */
  readonly windowMs: number
}

export type RateTier = 1 | 2 | 3 | 4

const minuteMs = 60_000

/** The tiers of the catalog. */
export const rateTiers: Readonly<Record<RateTier, ProviderLimits>> = {
  1: { requests: 50, inputTokens: 30_000, outputTokens: 8_000, windowMs: minuteMs },
  2: { requests: 1_000, inputTokens: 450_000, outputTokens: 90_000, windowMs: minuteMs },
  3: { requests: 2_000, inputTokens: 800_000, outputTokens: 160_000, windowMs: minuteMs },
  4: { requests: 4_000, inputTokens: 2_000_000, outputTokens: 400_000, windowMs: minuteMs },
}

const modelFamilies = ['opus', 'sonnet', 'haiku'] as const

/**
 * Limits apply to a family, not to an id: `claude-sonnet-4-5-20250929` and `claude-sonnet-4-6` share theirs. So do all
 * unknown names: an agent's process chooses the name, and with a new one each time it would never wait.
 */
export function modelFamily(model: string): 'opus' | 'sonnet' | 'haiku' | 'other' {
  const name = model.toLowerCase()
  return modelFamilies.find((family) => name.includes(family)) ?? 'other'
}
