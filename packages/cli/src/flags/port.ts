/** Where `serve` listens unless told otherwise. */
export const defaultPort = 4300

/** The port a text names, or `null` when it names none. */
export function portOf(text: string): number | null {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? port : null
}

export const portRule = 'must be a port, a whole number from 0 to 65535'
