import { QuarterdeckError } from '@quarterdeck/protocol'

/** As browsers write them. Throws for what is no origin, and for `*`: who may call is said one by one. */
export const checkedOrigins = (origins: readonly string[]): readonly string[] => [
  ...new Set(origins.map(checkedOrigin)),
]

function checkedOrigin(text: string): string {
  if (text.includes('*')) {
    const detail = `the origin ${JSON.stringify(text)} would let pages of anybody call this server: list those that may, one by one`
    throw new QuarterdeckError('request.invalid', detail)
  }
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  // The host as it was given may have capitals and a port that is understood; a path, a query or a name it has not.
  if (url !== null && isWeb && url.href === `${url.origin}/`) return url.origin
  const detail = `${JSON.stringify(text)} is no origin: say scheme, host and port, as in https://desk.example:8443`
  throw new QuarterdeckError('request.invalid', detail)
}
