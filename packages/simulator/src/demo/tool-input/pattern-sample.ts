// A text that matches a regular expression, for the usual parts of schemas: classes, groups, choices, repeats.

/** With `least` characters or more if its repeats allow that. `null` if the expression is not supported. */
export function sampleOf(pattern: string, least = 0): string | null {
  try {
    const takes = new RegExp(pattern, 'u')
    const shortest = choice({ rest: pattern, spare: 0 })
    const longEnough = drawnOut(pattern, least - shortest.length).find((one) => one.length >= least && takes.test(one))
    return longEnough ?? (takes.test(shortest) ? shortest : null)
  } catch {
    // Written for another dialect of regular expressions.
    return null
  }
}

/** Increasing lengths: the content of a repeat is extended as often as it repeats. */
const drawnOut = (pattern: string, missing: number): readonly string[] =>
  Array.from({ length: Math.min(Math.max(0, missing), longest) }, (_, index) =>
    choice({ rest: pattern, spare: index + 1 }),
  )

const longest = 1_000

interface Reading {
  rest: string
  /** The number of characters that repeats may add to their minimum. */
  spare: number
}

function take(reading: Reading, sign: RegExp): RegExpExecArray | null {
  const found = sign.exec(reading.rest)
  if (found !== null) reading.rest = reading.rest.slice(found[0].length)
  return found
}

/** The first of the alternatives; the others are skipped. */
function choice(reading: Reading): string {
  const first = sequence(reading)
  const { spare } = reading
  while (take(reading, /^\|/)) sequence(reading)
  reading.spare = spare
  return first
}

function sequence(reading: Reading): string {
  let text = ''
  while (reading.rest !== '' && !/^[|)]/.test(reading.rest)) {
    const { spare } = reading
    const piece = atom(reading)
    const [least, most] = repeats(reading)
    // Extended content is kept even if it is optional.
    const isWanted = spare > reading.spare && most > 0
    const more = piece === '' ? 0 : Math.min(most - least, Math.max(0, Math.ceil(reading.spare / piece.length)))
    const times = Math.min(Math.max(least + more, isWanted ? 1 : 0), longest)
    reading.spare -= piece.length * more
    text = (text + piece.repeat(times)).slice(0, longest)
  }
  return text
}

function repeats(reading: Reading): readonly [least: number, most: number] {
  const [quantifier, from = '1', comma, to] = take(reading, /^(?:\{(\d+)(,(\d*))?\}|[*+?])/) ?? ['']
  // A lazy repeat is treated like a greedy one.
  if (quantifier !== '') take(reading, /^\?/)
  if (quantifier === '?') return [0, 1]
  if (quantifier === '*' || quantifier === '+') return [quantifier === '*' ? 0 : 1, Number.POSITIVE_INFINITY]
  return [Number(from), comma === undefined ? Number(from) : Number(to || Number.POSITIVE_INFINITY)]
}

const likely = ['a', 'A', '0', '1', '-', '_', ' ', '.', '/', ':', '@', '#', '+']

function atom(reading: Reading): string {
  if (take(reading, /^(?:[\^$]|\\b)/)) return ''
  if (take(reading, /^\((?:\?:|\?<\w+>)?/)) {
    const inner = choice(reading)
    take(reading, /^\)/)
    return inner
  }
  const [set] = take(reading, /^(?:\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\.|\.)/u) ?? []
  if (set === undefined) return take(reading, /^./su)?.[0] ?? ''
  const own = set.replace(/^\[\^?|\\|\]$/g, '')
  return [...likely, ...own].find((one) => new RegExp(`^${set}$`, 'u').test(one)) ?? ''
}
