// A text that a regular expression takes, for those that schemas usually hold: classes, groups, choices, repeats.

/** Of `least` letters or more where its repeats can be drawn out to that. `null` where it is beyond that. */
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

/** Longer and longer: what is inside a repeat is drawn out as often as that repeats. */
const drawnOut = (pattern: string, missing: number): readonly string[] =>
  Array.from({ length: Math.min(Math.max(0, missing), longest) }, (_, index) =>
    choice({ rest: pattern, spare: index + 1 }),
  )

const longest = 1_000

interface Reading {
  rest: string
  /** Letters that repeats may add to the fewest they need. */
  spare: number
}

function take(reading: Reading, sign: RegExp): RegExpExecArray | null {
  const found = sign.exec(reading.rest)
  if (found !== null) reading.rest = reading.rest.slice(found[0].length)
  return found
}

/** The first of the alternatives; the others are read past. */
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
    // What was drawn out inside it is wanted, also where it need not be there at all.
    const isWanted = spare > reading.spare && most > 0
    const more = piece === '' ? 0 : Math.min(most - least, Math.max(0, Math.ceil(reading.spare / piece.length)))
    const times = Math.min(Math.max(least + more, isWanted ? 1 : 0), longest)
    reading.spare -= piece.length * more
    text = (text + piece.repeat(times)).slice(0, longest)
  }
  return text
}

function repeats(reading: Reading): readonly [least: number, most: number] {
  const [said, from = '1', comma, to] = take(reading, /^(?:\{(\d+)(,(\d*))?\}|[*+?])/) ?? ['']
  // Lazy is as good.
  if (said !== '') take(reading, /^\?/)
  if (said === '?') return [0, 1]
  if (said === '*' || said === '+') return [said === '*' ? 0 : 1, Number.POSITIVE_INFINITY]
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
