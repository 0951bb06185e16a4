// Readers and chunkers yield in small steps, so that the caller can let other work run in between.

/** No item yet: the caller may let other work run. */
export const yieldPoint = Symbol('pause')
export type YieldPoint = typeof yieldPoint
