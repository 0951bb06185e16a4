import { QuarterdeckError } from '@quarterdeck/protocol'

/** In the form of browsers. Throws for invalid origins and for `*`: allowed origins are listed one by one. */
export const checkedOrigins = (origins: readonly string[]): readonly string[] => [
  ...new Set(origins.map(checkedOrigin)),
]

function checkedOrigin(text: string): string {
  if (text.includes('*')) {
    const detail = `the origin ${JSON.stringify(text)} has a wildcard: list the allowed origins, one by one`
    throw new QuarterdeckError('request.invalid', detail)
  }
  const url = URL.canParse(text) ? new URL(text) : null
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  // The host may have capitals and a default port, but there must be no path, query or user name.
  if (url !== null && isWeb && url.href === `${url.origin}/`) return url.origin
  const detail = `${JSON.stringify(text)} is not an origin: use scheme, host and port, as in https://app.example:8443`
  throw new QuarterdeckError('request.invalid', detail)
}
