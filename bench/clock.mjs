/** Nanoseconds of the machine's monotonic clock: the same in every process, so that a stamp can travel. */
export const nowNs = () => Number(process.hrtime.bigint())
