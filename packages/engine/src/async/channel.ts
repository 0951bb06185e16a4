// A bounded queue between one producer and one reader. At the bound the producer waits. Once the bound is lifted the
// queue grows instead: the reader may be gone, but the producer must reach its end. Every token passes through here,
// and an async generator would cost several times as much per item.

export interface Channel<Item> extends AsyncIterable<Item> {
  /** `null` if there is capacity for the next item; otherwise resolves when there is. */
  push(item: Item): Promise<void> | null
  /** No more items; the reader gets the remaining ones. */
  end(): void
  liftBound(): void
}

export function createChannel<Item>(bound: number): Channel<Item> {
  const items: Item[] = []
  let hasEnded = false
  let isBounded = true
  let reader: ((step: IteratorResult<Item>) => void) | null = null
  let capacity: Promise<void> | null = null
  let resolveCapacity = () => {}

  function hand(step: IteratorResult<Item>): boolean {
    if (reader === null) return false
    const resolve = reader
    reader = null
    resolve(step)
    return true
  }

  function wakeProducer(): void {
    capacity = null
    resolveCapacity()
  }

  return {
    push(item) {
      if (hand({ done: false, value: item })) return null
      items.push(item)
      if (!isBounded || items.length < bound) return null
      capacity ??= new Promise<void>((resolve) => (resolveCapacity = resolve))
      return capacity
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
          if (capacity !== null) wakeProducer()
          return Promise.resolve({ done: false, value: item })
        }
        if (hasEnded) return Promise.resolve({ done: true, value: undefined })
        return new Promise<IteratorResult<Item>>((resolve) => (reader = resolve))
      },
    }),
  }
}
