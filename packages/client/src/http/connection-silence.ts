/** A connection without any message for this long is considered lost: the server sends a heartbeat every 15 s. */
export const defaultSilenceMs = 45_000
