// Finds the cells and lines of a CSV in its bytes.
export const lf = 10
export const cr = 13
export const quote = 34

/** The index after the closing quote of a cell that opens at `start`. */
function afterQuotes(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (;;) {
    const end = bytes.indexOf(quote, at)
    if (end < 0) return bytes.length
    if (bytes[end + 1] !== quote) return end + 1
    at = end + 2
  }
}

export interface LineEnds {
  feeds: number
  returns: number
}

/** The same, and counts line ends on the way. A single CR makes the count larger than any other. */
export function throughQuotes(bytes: Uint8Array, start: number, lineEnds: LineEnds): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === lf) lineEnds.feeds += 1
    else if (byte === cr) lineEnds.returns += bytes[at + 1] === lf ? 1 : Number.POSITIVE_INFINITY
    else if (byte === quote) {
      if (bytes[at + 1] !== quote) return at + 1
      at += 1
    }
  }
  return bytes.length
}

/** A table of the bytes that end a cell: comparing with each of them is slower. */
export function cellEnds(separator: number): Uint8Array {
  const ends = new Uint8Array(256)
  for (const byte of [separator, lf, cr]) ends[byte] = 1
  return ends
}

/** The index of the delimiter or line end after the cell that begins at `start`. */
export function cellEnd(bytes: Uint8Array, start: number, ends: Uint8Array): number {
  let at = bytes[start] === quote ? afterQuotes(bytes, start) : start
  while (at < bytes.length && ends[bytes[at] ?? 0] === 0) at += 1
  return at
}

/** The number of bytes of the line end at this index. */
export const lineEndSize = (bytes: Uint8Array, at: number): number => (bytes[at] === cr && bytes[at + 1] === lf ? 2 : 1)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function cellText(bytes: Uint8Array, start: number, end: number): string {
  const text = decoder.decode(bytes.subarray(start, end))
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1).replaceAll('""', '"') : text
}

/** Whether all line ends are LF or CRLF, even in quotes. */
export function hasOneLineEnd(bytes: Uint8Array): boolean {
  let returns = 0
  for (let at = bytes.indexOf(cr); at >= 0; at = bytes.indexOf(cr, at + 1)) {
    if (bytes[at + 1] !== lf) return false
    returns += 1
  }
  if (returns === 0) return true
  let feeds = 0
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) feeds += 1
  return feeds === returns
}
