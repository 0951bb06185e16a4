// Keys recognisable by their shape. Every search takes time in proportion to the text: no pattern may restart inside
// text that another start has already read.

/** From `start` up to, not including, `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

const keyShapes: readonly RegExp[] = [
  /sk-ant-[A-Za-z0-9_-]{8,}/g,
  /sk-proj-[A-Za-z0-9_-]{16,}/g,
  /sk-[A-Za-z0-9]{32,}/g,
  /(?:AKIA|ASIA)[0-9A-Z]{16}/g,
  /gh[pousr]_[A-Za-z0-9]{30,}/g,
  /github_pat_[A-Za-z0-9_]{30,}/g,
  /glpat-[A-Za-z0-9_-]{20,}/g,
  /xox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /AIza[0-9A-Za-z_-]{35}/g,
  /npm_[A-Za-z0-9]{36}/g,
  /qd-(?:session|key)-[A-Za-z0-9_-]{16,}/g,
  /[rs]k_live_[0-9A-Za-z]{16,}/g,
]

/** Patterns with a part that stays: the group `secret` is removed. */
const framedShapes: readonly RegExp[] = [
  /bearer[ \t]+(?<secret>[A-Za-z0-9._~+/=-]{20,})/dgi,
  /bearer[ \t]+(?<secret>(?=[A-Za-z._~+/=-]{0,19}\d)[A-Za-z0-9._~+/=-]{8,})/dgi,
  /(?:authorization|x-api-key|x-auth-token)\\{0,4}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,4}["']?(?<secret>(?:(?:bearer|basic|token)[ \t]{1,8})?[^\s"'\\,;{}]{6,})/dgi,
  /cookie\\{0,4}["']?[ \t]{0,8}:[ \t]{0,8}\\{0,4}["']?(?<secret>[\w.-]{1,64}=[^\s"'\\,{}]{4,})/dgi,
  /aws_secret_access_key\\{0,4}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,4}["']?(?<secret>[A-Za-z0-9/+=]{20,})/dgi,
  /:\/\/[^\s/:@"']{1,256}:(?<secret>[^\s/@"']{1,256})@/dg,
]

/** Every shape contains one of these and most texts contain none: one search instead of twenty. */
const anyShape =
  /sk-|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AIza|npm_|qd-|[rs]k_live_|bearer|authorization|x-api-key|x-auth-token|cookie|aws_secret_access_key|:\/\/|-----BEGIN |\.eyJ/i

export function findShapes(text: string): readonly Range[] {
  if (!anyShape.test(text)) return []
  return [
    ...keyShapes.flatMap((shape) => whole(text, shape)),
    ...framedShapes.flatMap((shape) => framed(text, shape)),
    ...privateKeys(text),
    ...webTokens(text),
  ]
}

const whole = (text: string, shape: RegExp): readonly Range[] =>
  Array.from(text.matchAll(shape), (match) => ({ start: match.index, end: match.index + match[0].length }))

function framed(text: string, shape: RegExp): readonly Range[] {
  return Array.from(text.matchAll(shape)).flatMap((match) => {
    const found = match.indices?.groups?.secret
    return found === undefined ? [] : [{ start: found[0], end: found[1] }]
  })
}

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** An unterminated block is removed to the end of the text: half a key is a secret too. */
function privateKeys(text: string): readonly Range[] {
  const ranges: Range[] = []
  let from = 0
  for (const match of text.matchAll(keyBegins)) {
    if (match.index < from) continue
    const end = text.indexOf('-----END ', match.index)
    const close = end === -1 ? -1 : text.indexOf('-----', end + 9)
    from = close === -1 ? text.length : close + 5
    ranges.push({ start: match.index, end: from })
  }
  return ranges
}

const isTokenChar = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 45 || code === 95

/** Header, payload, signature: found by the payload, which starts with `.eyJ`, then extended in both directions. */
function webTokens(text: string): readonly Range[] {
  const ranges: Range[] = []
  let from = 0
  for (let dot = text.indexOf('.eyJ'); dot !== -1; dot = text.indexOf('.eyJ', Math.max(dot + 1, from))) {
    let start = dot
    while (start > from && isTokenChar(text.charCodeAt(start - 1))) start -= 1
    const header = text.indexOf('eyJ', start)
    let end = dot + 1
    while (isTokenChar(text.charCodeAt(end))) end += 1
    if (text[end] === '.') {
      end += 1
      while (isTokenChar(text.charCodeAt(end))) end += 1
    }
    if (header === -1 || header > dot - 8) continue
    ranges.push({ start: header, end })
    from = end
  }
  return ranges
}
