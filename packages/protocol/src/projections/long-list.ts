// A list that mostly changes at its end: a new version shares all unchanged pieces with the one before.

/** All pieces but the last are full. */
export type LongList<Item> = readonly (readonly Item[])[]

/** Small enough to copy for one change, large enough that the list of pieces stays short. */
const pieceSize = 128

export function editList<Item>(list: LongList<Item>) {
  const pieces: (readonly Item[])[] = [...list]
  /** Pieces that only this edit uses and may change in place. */
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

  /** Returns its index. */
  function push(item: Item): number {
    const itemIndex = length()
    ownPiece(Math.floor(itemIndex / pieceSize)).push(item)
    return itemIndex
  }

  return {
    at: (itemIndex: number): Item | undefined => pieces[Math.floor(itemIndex / pieceSize)]?.[itemIndex % pieceSize],
    set(itemIndex: number, item: Item) {
      ownPiece(Math.floor(itemIndex / pieceSize))[itemIndex % pieceSize] = item
    },
    push,
    /** The items behind it move up by one. */
    removeAt(itemIndex: number) {
      const index = Math.floor(itemIndex / pieceSize)
      const behind = pieces.slice(index).flat()
      behind.splice(itemIndex % pieceSize, 1)
      pieces.length = index
      for (const key of own.keys()) if (key >= index) own.delete(key)
      for (const item of behind) push(item)
    },
    length,
    /** Returns the new version. The edit must not be used afterwards. */
    close: (): LongList<Item> => pieces,
  }
}
