const retentionMs = 24 * 60 * 60 * 1000

/** Replies saved at this time or before have expired. */
export const repliesExpireAt = (now: Date): string => new Date(now.getTime() - retentionMs).toISOString()
