// A message of a server that is too large. The messages after it can no longer be separated.

/** Bytes. */
export const longestMcpMessage = 10 * 1024 * 1024

export const tooLargeSentence = 'it sent more than 10 MiB at once'

export class MessageTooLarge extends Error {
  constructor() {
    super(tooLargeSentence)
  }
}
