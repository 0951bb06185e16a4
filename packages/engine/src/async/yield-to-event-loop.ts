import { setImmediate } from 'node:timers/promises'

/** Lets timers and requests of this process run. Resolving at once would not: promises go before them. */
export const yieldToEventLoop = (): Promise<void> => setImmediate()
