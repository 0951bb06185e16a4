const retentionMs = 24 * 60 * 60 * 1000

/** Replies saved at this time or before are no longer kept. */
export const repliesExpireAt = (now: Date): string => new Date(now.getTime() - retentionMs).toISOString()
