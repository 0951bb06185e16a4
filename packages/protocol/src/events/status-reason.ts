// The reason of a status that an actor set: `by ana`. Actors are people, keys, and parts of the engine, such as `clock`.

export const reasonBy = (actor: string): string => `${prefix}${actor}`

/** `null` for every other reason. */
export const actorOf = (reason: string | null): string | null =>
  reason?.startsWith(prefix) === true ? reason.slice(prefix.length) : null

const prefix = 'by '
