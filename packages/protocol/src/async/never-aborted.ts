/** For work that nothing can abort. A new signal each time: listeners that are never removed do not add up. */
export const neverAborted = (): AbortSignal => new AbortController().signal
