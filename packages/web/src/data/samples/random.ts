/** Deterministic random numbers from a seed: mulberry32. */
export function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low: number, high: number): number => low + next() * (high - low),
    whole: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    pick: <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (share: number): boolean => next() < share,
    /** Around zero, mostly within one. */
    normal: (): number => next() + next() + next() + next() - 2,
  }
}

export type SampleRandom = ReturnType<typeof createRandom>
