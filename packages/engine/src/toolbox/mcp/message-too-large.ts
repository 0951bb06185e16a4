// One message of a server that is larger than anybody could want: what follows cannot be told apart any more.

/** Bytes. */
export const longestMessage = 10 * 1024 * 1024

export const tooLargeSentence = 'it sent more than 10 MiB at once'

export class MessageTooLarge extends Error {
  constructor() {
    super(tooLargeSentence)
  }
}
