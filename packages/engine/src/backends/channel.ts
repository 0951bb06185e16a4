// A bounded hand-over between whoever produces events and whoever reads them. Full means the producer waits; once the
// bound is lifted (nobody may read any more, but the end must come) it grows instead.

export interface Channel<Item> extends AsyncIterable<Item> {
  /** Resolves when there is room for the next one. */
  push(item: Item): Promise<void>
  /** No more items; readers get what is left. */
  end(): void
  liftBound(): void
}

export function createChannel<Item>(bound: number): Channel<Item> {
  const items: Item[] = []
  let hasEnded = false
  let isBounded = true
  let wakeReader = () => {}
  let wakeProducer = () => {}

  return {
    async push(item) {
      items.push(item)
      wakeReader()
      while (isBounded && items.length >= bound) await new Promise<void>((resolve) => (wakeProducer = resolve))
    },
    end() {
      hasEnded = true
      wakeReader()
    },
    liftBound() {
      isBounded = false
      wakeProducer()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift()
        if (item !== undefined) {
          wakeProducer()
          yield item
        } else if (hasEnded) return
        else await new Promise<void>((resolve) => (wakeReader = resolve))
      }
    },
  }
}
