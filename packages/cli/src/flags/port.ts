/** The default port of `serve`. */
export const defaultPort = 4300

/** The port in the text, or `null` if it is not a port. */
export function portOf(text: string): number | null {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? port : null
}

export const portRule = 'must be a port, a whole number from 0 to 65535'
