// The reason of a status that a person set: `by ana`.

export const reasonBy = (person: string): string => `${prefix}${person}`

/** `null` when the engine set the status. */
export const personOf = (reason: string | null): string | null =>
  reason?.startsWith(prefix) === true ? reason.slice(prefix.length) : null

const prefix = 'by '
