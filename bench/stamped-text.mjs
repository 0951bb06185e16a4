// Deltas that contain only the time they were sent: `123456789 `.

/**
 * The timestamps in a message of the SDK; empty unless the message is a piece of streamed text.
 * @param {any} message
 * @returns {number[]}
 */
export function stampsOfMessage(message) {
  if (message?.type !== 'stream_event') return []
  const { type, delta } = message.event
  return type === 'content_block_delta' && delta.type === 'text_delta' ? stampsOfText(delta.text) : []
}

/** @param {string} text */
export const stampsOfText = (text) =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
