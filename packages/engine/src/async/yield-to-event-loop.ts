/** Lets timers and requests of this process run. A resolved promise would not: promises run before them. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
