// A text that a regular expression takes, for those that schemas usually hold: classes, groups, choices, repeats.

/** `null` where it is beyond that. */
export function sampleOf(pattern: string): string | null {
  try {
    const sample = choice({ rest: pattern })
    return new RegExp(pattern, 'u').test(sample) ? sample : null
  } catch {
    // Written for another dialect of regular expressions.
    return null
  }
}

const longest = 1_000

type Reading = { rest: string }

function take(reading: Reading, sign: RegExp): RegExpExecArray | null {
  const found = sign.exec(reading.rest)
  if (found !== null) reading.rest = reading.rest.slice(found[0].length)
  return found
}

/** The first of the alternatives; the others are read past. */
function choice(reading: Reading): string {
  const first = sequence(reading)
  while (take(reading, /^\|/)) sequence(reading)
  return first
}

function sequence(reading: Reading): string {
  let text = ''
  while (reading.rest !== '' && !/^[|)]/.test(reading.rest)) {
    const piece = atom(reading)
    const [, least = ''] = take(reading, /^\{(\d+)(?:,\d*)?\}/) ?? []
    const times = take(reading, /^[*?]/) ? 0 : Number(least || 1)
    take(reading, /^[+?]+/)
    text = (text + piece.repeat(Math.min(times, longest))).slice(0, longest)
  }
  return text
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
