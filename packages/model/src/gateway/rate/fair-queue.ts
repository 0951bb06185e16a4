// Owners take turns, the sessions of one owner alternate within its turns, and the requests of one session are
// first-in, first-out: no owner waits behind the many requests of another.

/** The owner and session whose turn it uses. */
export interface QueueKey {
  readonly owner: string
  readonly sessionId: string
}

interface SessionQueue<Item> {
  readonly sessionId: string
  items: Item[]
}
interface OwnerQueue<Item> {
  readonly owner: string
  sessions: SessionQueue<Item>[]
}

export type FairQueue<Item> = ReturnType<typeof createFairQueue<Item>>

export function createFairQueue<Item>() {
  // In the order of turns. No queue is ever empty.
  let owners: OwnerQueue<Item>[] = []

  function sessionsOf(owner: string): SessionQueue<Item>[] {
    const known = owners.find((group) => group.owner === owner)
    if (known) return known.sessions
    const group: OwnerQueue<Item> = { owner, sessions: [] }
    owners.push(group)
    return group.sessions
  }

  return {
    push({ owner, sessionId }: QueueKey, item: Item) {
      const sessions = sessionsOf(owner)
      const known = sessions.find((group) => group.sessionId === sessionId)
      if (known) known.items.push(item)
      else sessions.push({ sessionId, items: [item] })
    },
    /** Before the owner's other requests: for a retry of a request that had its turn. */
    pushFirst({ owner, sessionId }: QueueKey, item: Item) {
      const sessions = sessionsOf(owner)
      const at = sessions.findIndex((group) => group.sessionId === sessionId)
      const known = at === -1 ? [] : sessions.splice(at, 1)
      sessions.unshift({ sessionId, items: [item, ...known.flatMap(({ items }) => items)] })
    },
    /** The next entry, which stays in the queue. */
    next: (): Item | undefined => owners[0]?.sessions[0]?.items[0],
    /** Removes the `next` entry: the turn passes to the following owner. */
    shift() {
      const owner = owners.shift()
      const session = owner?.sessions.shift()
      if (!owner || !session) return
      session.items.shift()
      if (session.items.length > 0) owner.sessions.push(session)
      if (owner.sessions.length > 0) owners.push(owner)
    },
    remove(item: Item) {
      for (const group of owners) {
        for (const session of group.sessions) session.items = session.items.filter((other) => other !== item)
        group.sessions = group.sessions.filter(({ items }) => items.length > 0)
      }
      owners = owners.filter(({ sessions }) => sessions.length > 0)
    },
    /** All entries, in the order in which they will go if none is added. */
    list: (): readonly Item[] => inTurns(owners.map(({ sessions }) => inTurns(sessions.map(({ items }) => items)))),
  }
}

/** The first of each, then the second of each, and so on. */
function inTurns<Item>(lines: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lines.map((group) => group.length))
  return Array.from({ length: longest }, (_, round) => lines.flatMap((group) => group.slice(round, round + 1))).flat()
}
