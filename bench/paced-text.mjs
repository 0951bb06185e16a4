// Text with the time it was written, as long as a typical event.

const filler = 'one line of tool output with the length of a typical line'

/** @param {number} stampNs */
export const pacedText = (stampNs) => `@${stampNs}@ ${filler}`

/**
 * `null` for a frame without a stamp.
 * @param {string} frame
 */
export function stampIn(frame) {
  const start = frame.indexOf('@')
  if (start === -1) return null
  const stamp = Number(frame.slice(start + 1, frame.indexOf('@', start + 1)))
  return Number.isFinite(stamp) ? stamp : null
}
