// Owners take turns, and what one owner has waiting goes in the order of its arrival: nobody waits behind a flood.

export type FairQueue<Item> = {
  push(owner: string, item: Item): void
  /** Before the owner's others: for what had its turn already and has to try again. */
  pushFirst(owner: string, item: Item): void
  /** Who goes next, left in the line. */
  next(): Item | undefined
  /** `next` has gone: the turn passes to the following owner. */
  shift(): void
  remove(item: Item): void
  /** All, in the order in which they will go if nobody joins. */
  list(): readonly Item[]
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // In the order of turns. No list is ever empty.
  let lines: { readonly owner: string; readonly items: Item[] }[] = []

  function lineOf(owner: string): Item[] {
    const known = lines.find((line) => line.owner === owner)
    if (known) return known.items
    const items: Item[] = []
    lines.push({ owner, items })
    return items
  }

  return {
    push: (owner, item) => void lineOf(owner).push(item),
    pushFirst: (owner, item) => void lineOf(owner).unshift(item),
    next: () => lines[0]?.items[0],
    shift() {
      const line = lines.shift()
      if (!line) return
      line.items.shift()
      if (line.items.length > 0) lines.push(line)
    },
    remove(item) {
      for (const { items } of lines) {
        const at = items.indexOf(item)
        if (at !== -1) items.splice(at, 1)
      }
      lines = lines.filter((line) => line.items.length > 0)
    },
    list() {
      const longest = Math.max(0, ...lines.map((line) => line.items.length))
      return Array.from({ length: longest }, (_, round) =>
        lines.flatMap((line) => line.items.slice(round, round + 1)),
      ).flat()
    },
  }
}
