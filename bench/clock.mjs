/** Nanoseconds of the machine's monotonic clock. All processes share it, so one can read a timestamp of another. */
export const nowNs = () => Number(process.hrtime.bigint())
