// A bounded hand-over between whoever produces events and whoever reads them. Full means the producer waits; once the
// bound is lifted (nobody may read any more, but the end must come) it grows instead. Every token of every session goes
// through here: it is written by hand, because an async generator costs several times as much per item.

export interface Channel<Item> extends AsyncIterable<Item> {
  /** `null` when there is room for the next one; else it resolves when there is. */
  push(item: Item): Promise<void> | null
  /** No more items; the reader gets what is left. */
  end(): void
  liftBound(): void
}

export function createChannel<Item>(bound: number): Channel<Item> {
  const items: Item[] = []
  let hasEnded = false
  let isBounded = true
  let reader: ((step: IteratorResult<Item>) => void) | null = null
  let room: Promise<void> | null = null
  let makeRoom = () => {}

  function hand(step: IteratorResult<Item>): boolean {
    if (reader === null) return false
    const resolve = reader
    reader = null
    resolve(step)
    return true
  }

  function wakeProducer(): void {
    room = null
    makeRoom()
  }

  return {
    push(item) {
      if (hand({ done: false, value: item })) return null
      items.push(item)
      if (!isBounded || items.length < bound) return null
      room ??= new Promise<void>((resolve) => (makeRoom = resolve))
      return room
    },
    end() {
      hasEnded = true
      if (items.length === 0) hand({ done: true, value: undefined })
    },
    liftBound() {
      isBounded = false
      wakeProducer()
    },
    [Symbol.asyncIterator]: () => ({
      next() {
        const item = items.shift()
        if (item !== undefined) {
          if (room !== null) wakeProducer()
          return Promise.resolve({ done: false, value: item })
        }
        if (hasEnded) return Promise.resolve({ done: true, value: undefined })
        return new Promise<IteratorResult<Item>>((resolve) => (reader = resolve))
      },
    }),
  }
}
