// A list that is mostly changed at its end: a new version shares all pieces but the changed ones with the one before.

/** All pieces but the last are full. */
export type LongList<Item> = readonly (readonly Item[])[]

/** Small enough to copy for one change, large enough that the list of pieces stays short. */
const pieceSize = 128

export interface ListEdit<Item> {
  at(place: number): Item | undefined
  set(place: number, item: Item): void
  /** Returns where it stands. */
  push(item: Item): number
  /** What stood behind it moves up by one. */
  removeAt(place: number): void
  length(): number
  /** The new version. Nothing may be changed afterwards. */
  close(): LongList<Item>
}

export function editList<Item>(list: LongList<Item>): ListEdit<Item> {
  const pieces: (readonly Item[])[] = [...list]
  /** Pieces that belong to this edit alone and may be changed in place. */
  const own = new Map<number, Item[]>()

  const length = () => (pieces.length === 0 ? 0 : (pieces.length - 1) * pieceSize + (pieces.at(-1)?.length ?? 0))

  function ownPiece(index: number): Item[] {
    const known = own.get(index)
    if (known !== undefined) return known
    const piece = [...(pieces[index] ?? [])]
    pieces[index] = piece
    own.set(index, piece)
    return piece
  }

  function push(item: Item): number {
    const place = length()
    ownPiece(Math.floor(place / pieceSize)).push(item)
    return place
  }

  return {
    at: (place) => pieces[Math.floor(place / pieceSize)]?.[place % pieceSize],
    set(place, item) {
      ownPiece(Math.floor(place / pieceSize))[place % pieceSize] = item
    },
    push,
    removeAt(place) {
      const index = Math.floor(place / pieceSize)
      const behind = pieces.slice(index).flat()
      behind.splice(place % pieceSize, 1)
      pieces.length = index
      for (const key of own.keys()) if (key >= index) own.delete(key)
      for (const item of behind) push(item)
    },
    length,
    close: () => pieces,
  }
}
