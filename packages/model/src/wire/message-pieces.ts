// Splits a message into deltas, for every wire.

export const inWords = (text: string): string[] => text.match(/\s*\S+(?:\s+$)?|\s+/g) ?? []

/** The number of deltas is bounded: a megabyte of tool input is not a million events. */
export function inPieces(json: string): string[] {
  const size = Math.max(24, Math.ceil(json.length / 400))
  const pieces: string[] = []
  for (let at = 0; at < json.length; at += size) pieces.push(json.slice(at, at + size))
  return pieces
}
