// Deltas that are nothing but the moment they were sent: `123456789 `.

/**
 * The stamps in a message of the SDK; empty unless it is a streamed piece of text.
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
