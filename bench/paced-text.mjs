// Text that carries the moment it was written, at the size of a usual event.

const filler = 'a line of what a tool has said, as long as such lines are'

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
