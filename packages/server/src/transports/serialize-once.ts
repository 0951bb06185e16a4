import type { StreamedEvent } from '@quarterdeck/protocol'

/**
 * Every reader of a live event gets the same array, so it is serialized once for all. The further arguments must be the
 * same for every reader of an array, such as the id of its session.
 */
export function serializeOnce<Serialized extends object, Rest extends readonly unknown[]>(
  write: (events: readonly StreamedEvent[], ...rest: Rest) => Serialized,
): (events: readonly StreamedEvent[], ...rest: Rest) => Serialized {
  const written = new WeakMap<readonly StreamedEvent[], Serialized>()
  return (events, ...rest) => {
    const known = written.get(events)
    if (known !== undefined) return known
    const serialized = write(events, ...rest)
    written.set(events, serialized)
    return serialized
  }
}
