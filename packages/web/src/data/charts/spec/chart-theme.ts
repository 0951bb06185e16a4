/** Colors and font of a chart. Colors are `#rrggbb`, which every image viewer understands. */
export interface ChartTheme {
  readonly surface: string
  readonly text: string
  readonly text2: string
  readonly muted: string
  readonly line: string
  readonly base: string
  readonly accent: string
  readonly rest: string
  readonly font: string
}

const tokens = {
  surface: '--surface',
  text: '--text',
  text2: '--text-2',
  muted: '--muted',
  line: '--line',
  base: '--line-control',
  accent: '--chart-1',
  rest: '--chart-rest',
} as const

/** Reads the current theme of the page, or the theme given by `scheme`. */
export function readChartTheme(scheme?: 'light' | 'dark'): ChartTheme {
  const probe = document.createElement('span')
  if (scheme !== undefined) probe.style.colorScheme = scheme
  probe.hidden = true
  document.body.append(probe)
  const color = (token: string): string => {
    probe.style.color = `var(${token})`
    return hexOf(getComputedStyle(probe).color)
  }
  try {
    const font = getComputedStyle(probe).fontFamily
    return {
      surface: color(tokens.surface),
      text: color(tokens.text),
      text2: color(tokens.text2),
      muted: color(tokens.muted),
      line: color(tokens.line),
      base: color(tokens.base),
      accent: color(tokens.accent),
      rest: color(tokens.rest),
      font,
    }
  } finally {
    probe.remove()
  }
}

/** For files that are viewed elsewhere: text measured with our font would not fit there. */
export const plainFont = 'system-ui, sans-serif'

/** Image viewers may not support `oklch()`, so the color is read from a drawn pixel. */
function hexOf(color: string): string {
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return color
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Colors from one to another in equal steps, both included. */
export function shades(from: string, to: string, count: number): readonly string[] {
  const parts = (hex: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const [start, end] = [parts(from), parts(to)]
  return Array.from({ length: count }, (_, index) => {
    const share = count === 1 ? 0 : index / (count - 1)
    const mixed = start.map((part, channel) => Math.round(part + ((end[channel] ?? part) - part) * share))
    return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  })
}
