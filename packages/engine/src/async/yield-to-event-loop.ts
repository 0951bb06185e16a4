import { setImmediate } from 'node:timers/promises'

/** Lets timers and requests of this process run. A resolved promise would not: promises run before them. */
export const yieldToEventLoop = (): Promise<void> => setImmediate()
