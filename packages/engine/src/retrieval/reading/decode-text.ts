// Decodes bytes: by a byte order mark; otherwise as UTF-8, then as UTF-16 if it looks like it, then as Windows-1252.

/** `null` if the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const text = decode(bytes)
  if (text === null || text.includes('\0')) return null
  return text.replaceAll(/\r\n?/g, '\n')
}

function decode(bytes: Uint8Array): string | null {
  const marked = markedEncoding(bytes)
  if (marked !== null) return new TextDecoder(marked).decode(bytes)
  const wide = wideEncoding(bytes)
  if (wide !== null) return new TextDecoder(wide).decode(bytes)
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: files of older programs, in which every byte is a character.
    return decodeWindows(bytes)
  }
}

/** Where Windows-1252 differs from Latin-1, from 0x80 on. Node 20 decodes both as Latin-1. */
const windowsOnly = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const decodeWindows = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (char) => windowsOnly[char.charCodeAt(0) - 0x80] ?? char)

function markedEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 without a mark: in Western text every other byte is zero. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 1000)
  if (sample.length < 4 || bytes.length % 2 !== 0) return null
  let even = 0
  let odd = 0
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (index % 2 === 0) even++
    else odd++
  }
  const half = sample.length / 2
  if (odd > half * 0.7 && even < half * 0.1) return 'utf-16le'
  if (even > half * 0.7 && odd < half * 0.1) return 'utf-16be'
  return null
}
