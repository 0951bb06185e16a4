// State that all requests to one upstream share: the queue for its rate, and its prompt cache.
import { guardedListeners } from './guarded-listeners.ts'
import type { ModelGatewayOptions, ModelTraffic } from './model-gateway.ts'
import { createPromptCacheMemory } from './rate/prompt-cache-memory.ts'
import { createRateShaper } from './rate/rate-shaper.ts'

export function createModelTraffic(options: Pick<ModelGatewayOptions, 'rate' | 'onWaiting' | 'logger'>): ModelTraffic {
  const { onWaiting } = guardedListeners(options)
  return {
    shaper: createRateShaper({ limits: options.rate ?? null, onWaiting }),
    promptCache: createPromptCacheMemory(),
  }
}
