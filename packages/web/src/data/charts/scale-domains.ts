import type { Drawing } from './chart-drawing.ts'

type Domain = readonly [number, number]

/** Bars always start at zero. Lines and points do if that uses less than half of the height. */
export function scaleDomains({ choice, marks, scale }: Pick<Drawing, 'choice' | 'marks' | 'scale'>) {
  const y = marks.map((mark) => mark.y)
  const isBar = choice.type === 'bar'
  return {
    /** Of a numeric x axis; time and names have no domain here. */
    x: scale.kind === 'numbers' ? niceDomain(extent(marks.map(({ at }) => at ?? 0)), 'free') : null,
    y: niceDomain(extent(y), isBar ? 'zero' : 'near-zero'),
  }
}

function extent(values: readonly number[]): Domain {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  return [low, high]
}

function niceDomain([low, high]: Domain, start: 'zero' | 'near-zero' | 'free'): Domain {
  const takesZero =
    start === 'zero' || (start === 'near-zero' && (low <= 0 ? high >= 0 || high > low / 2 : low < high / 2))
  const [from, to] = takesZero ? [Math.min(0, low), Math.max(0, high)] : [low, high]
  if (from === to)
    return from === 0 ? [0, 1] : from > 0 ? [takesZero ? 0 : from - 1, to + 1] : [from - 1, takesZero ? 0 : to + 1]
  const step = niceStep((to - from) / 8)
  return [clean(Math.floor(from / step) * step), clean(Math.ceil(to / step) * step)]
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const digit = rough / power
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10)
}

const clean = (value: number): number => Number(value.toPrecision(12))
