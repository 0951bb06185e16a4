// Readers and cutters give what they have piece by piece, so that whoever asks can let others run in between.

/** Nothing to give yet, and a good place to let others run. */
export const yieldPoint = Symbol('pause')
export type YieldPoint = typeof yieldPoint
