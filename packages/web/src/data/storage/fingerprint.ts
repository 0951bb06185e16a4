/** SHA-256 of a file in hex, to recognize the same file. */
export async function fingerprintOf(bytes: Uint8Array): Promise<string> {
  // Never backed by shared memory: files and fetched bytes are not.
  const given = bytes as Uint8Array<ArrayBuffer>
  // Pages without HTTPS or loopback have no Web Crypto.
  const digest = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', given))
    : sha256(given)
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** FIPS 180-4. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const { start, round } = constants()
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const padded = new Uint8Array(length)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(length - 4, (bytes.length << 3) >>> 0)
  const words = new Uint32Array(64)
  for (let at = 0; at < length; at += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(at + index * 4)
    mixBlock(start, words, round)
  }
  const digest = new DataView(new ArrayBuffer(32))
  start.forEach((word, index) => {
    digest.setUint32(index * 4, word)
  })
  return new Uint8Array(digest.buffer)
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function mixBlock(hash: Uint32Array, words: Uint32Array, round: Uint32Array): void {
  const word = (index: number): number => words[index] ?? 0
  for (let index = 16; index < 64; index += 1) {
    const early = word(index - 15)
    const late = word(index - 2)
    const one = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const two = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[index] = word(index - 16) + one + word(index - 7) + two
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let index = 0; index < 64; index += 1) {
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (round[index] ?? 0) + word(index)
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((value, index) => {
    hash[index] = (hash[index] ?? 0) + value
  })
}

/** The first bits of the roots of the first primes. */
function constants(): { readonly start: Uint32Array; readonly round: Uint32Array } {
  const primes: number[] = []
  for (let number = 2; primes.length < 64; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  const bits = (root: number): number => Math.floor((root % 1) * 2 ** 32)
  return {
    start: Uint32Array.from(primes.slice(0, 8), (prime) => bits(Math.sqrt(prime))),
    round: Uint32Array.from(primes, (prime) => bits(Math.cbrt(prime))),
  }
}
