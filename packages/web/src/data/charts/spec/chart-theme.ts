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
    return {
      font: getComputedStyle(probe).fontFamily,
      surface: color('--surface'),
      text: color('--text'),
      text2: color('--text-2'),
      muted: color('--muted'),
      line: color('--line'),
      base: color('--line-control'),
      accent: color('--chart-1'),
      rest: color('--chart-rest'),
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
  return toHex([red, green, blue])
}

const toHex = (parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** Colors from one to another in equal steps, both included. */
export function shades(from: string, to: string, count: number): readonly string[] {
  const parts = (hex: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const [start, end] = [parts(from), parts(to)]
  return Array.from({ length: count }, (_, index) => {
    const share = count === 1 ? 0 : index / (count - 1)
    return toHex(start.map((part, channel) => Math.round(part + ((end[channel] ?? part) - part) * share)))
  })
}
