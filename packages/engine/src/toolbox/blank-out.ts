/** Shorter values are words that stand everywhere. */
const shortest = 6

/** Puts the name in place of each value: what a server prints when it fails may hold what it was given. */
export function blankOut(named: readonly (readonly [name: string, value: string])[]): (text: string) => string {
  const secrets = named.filter(([, value]) => value.length >= shortest).toSorted((a, b) => b[1].length - a[1].length)
  return (text) => secrets.reduce((so, [name, value]) => so.replaceAll(value, `[${name}]`), text)
}
