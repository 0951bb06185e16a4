// Detects and converts text encodings, including those of old spreadsheets.
import type { ImportPlan } from '../../domain/import-plan.ts'

export type TextEncodingName = NonNullable<ImportPlan['encoding']>

/** By the byte order mark; without one, by valid UTF-8 and by the positions of zero bytes. */
export function detectEncoding(samples: readonly Uint8Array[]): TextEncodingName {
  const head = samples[0] ?? new Uint8Array()
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const wide = wideEncoding(head.subarray(0, 4000))
  if (wide !== null) return wide
  return samples.every(isUtf8) ? 'utf-8' : 'windows-1252'
}

/** Western text has a zero in every second byte if it is UTF-16. */
function wideEncoding(head: Uint8Array): TextEncodingName | null {
  if (head.length < 4) return null
  const zeros = [0, 0]
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const many = head.length / 5
  if (odd > many && even < odd / 10) return 'utf-16le'
  return even > many && odd < even / 10 ? 'utf-16be' : null
}

function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(wholeCharacters(sample))
    return true
  } catch {
    // The decoder reports invalid bytes by throwing.
    return false
  }
}

/** Samples are cut anywhere, so incomplete characters at the ends are ignored. */
function wholeCharacters(sample: Uint8Array): Uint8Array {
  let start = 0
  while (start < 3 && isContinuation(sample[start])) start += 1
  let end = sample.length
  while (end > start && sample.length - end < 3 && isContinuation(sample[end - 1])) end -= 1
  const last = sample[end - 1] ?? 0
  const missing = last >= 0xf0 ? 3 : last >= 0xe0 ? 2 : last >= 0xc0 ? 1 : 0
  return sample.subarray(start, missing > sample.length - end ? end - 1 : sample.length)
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Without the byte order mark. */
export const decodeText = (bytes: Uint8Array, encoding: TextEncodingName): string =>
  new TextDecoder(encoding).decode(bytes)

/** Decodes in pieces, because the whole text would take several times the size of the file. */
export function toUtf8(bytes: Uint8Array, encoding: TextEncodingName): Uint8Array {
  if (encoding === 'utf-8')
    return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
  const decoder = new TextDecoder(encoding)
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  const step = 4_000_000
  for (let at = 0; at < bytes.length; at += step) {
    pieces.push(encoder.encode(decoder.decode(bytes.subarray(at, at + step), { stream: true })))
  }
  pieces.push(encoder.encode(decoder.decode()))
  return joinBytes(pieces)
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
