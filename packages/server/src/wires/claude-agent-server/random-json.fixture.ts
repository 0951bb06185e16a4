// Random JSON, the same for the same seed.

export type Random = () => number

/** Numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export const oneOf = <One>(random: Random, choices: readonly [One, ...One[]]): One =>
  choices[Math.floor(random() * choices.length)] ?? choices[0]

export function randomJson(random: Random, names: readonly [string, ...string[]], depth = 4): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6))
  if (kind === 6) return Array.from({ length: Math.floor(random() * 4) }, () => randomJson(random, names, depth - 1))
  if (kind === 7) return randomObject(random, names, depth - 1)
  return oneOf<unknown>(random, [null, true, -1, 1e300, '', 'x', '\u0000\ud800', '__proto__', 'user', 'a'.repeat(300)])
}

export function randomObject(random: Random, names: readonly [string, ...string[]], depth = 4): object {
  const entries = Array.from({ length: 1 + Math.floor(random() * 5) }, () => [
    oneOf(random, names),
    randomJson(random, names, depth),
  ])
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as object
}
