// What all requests to one upstream share, however they reach it: the line before its rate, and what its cache holds.
import { guardedListeners } from './guarded-listeners.ts'
import type { ModelGatewayOptions } from './model-gateway.ts'
import { createPromptCacheMemory, type PromptCacheMemory } from './rate/prompt-cache-memory.ts'
import { createRateShaper, type RateShaper } from './rate/rate-shaper.ts'

export interface ModelTraffic {
  readonly shaper: RateShaper
  readonly promptCache: PromptCacheMemory
}

export function createModelTraffic(options: Pick<ModelGatewayOptions, 'rate' | 'onWaiting' | 'logger'>): ModelTraffic {
  const { onWaiting } = guardedListeners(options)
  return {
    shaper: createRateShaper({ limits: options.rate ?? null, onWaiting }),
    promptCache: createPromptCacheMemory(),
  }
}
