// Parses the text within a block. The text comes from a model, so there is no HTML, only http(s) links, no remote
// images, and one pass for any input.

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly host: string; readonly children: readonly Inline[] }
  /** A remote image. Loading it would tell its server who reads this, so only its address is shown. */
  | { readonly type: 'image'; readonly href: string; readonly host: string; readonly alt: string }

const depthLimit = 6
/** A longer span stays text, which bounds the search for its end. */
const spanLimit = 1000

interface InlineContext {
  readonly depth: number
  /** A link's own text contains no other links: a click must have one meaning. */
  readonly isInLink: boolean
}

export function parseInline(source: string, context: InlineContext = { depth: 0, isInLink: false }): readonly Inline[] {
  const out: Inline[] = []
  let plain = ''
  let at = 0
  const flush = () => {
    if (plain !== '') out.push({ type: 'text', text: plain })
    plain = ''
  }
  while (at < source.length) {
    const found = context.depth < depthLimit ? tokenAt(source, at, context) : null
    if (found === null) {
      plain += source[at]
      at += 1
    } else {
      flush()
      out.push(found.inline)
      at = found.end
    }
  }
  flush()
  return out
}

interface Found {
  readonly inline: Inline
  readonly end: number
}

function tokenAt(source: string, at: number, context: InlineContext): Found | null {
  switch (source[at]) {
    case '`':
      return codeAt(source, at)
    case '*':
    case '_':
    case '~':
      return emphasisAt(source, at, context)
    case '[':
      return context.isInLink ? null : linkAt(source, at, context)
    case '!':
      return context.isInLink ? null : imageAt(source, at)
    case 'h':
      return context.isInLink ? null : bareLinkAt(source, at)
    case '\\':
      return /[\\`*_~[\]()!#>|-]/.test(source[at + 1] ?? '')
        ? { inline: { type: 'text', text: source[at + 1] ?? '' }, end: at + 2 }
        : null
    default:
      return null
  }
}

function codeAt(source: string, at: number): Found | null {
  const fence = /^`+/.exec(source.slice(at, at + 8))?.[0] ?? '`'
  const end = source.indexOf(fence, at + fence.length)
  if (end < 0 || end - at > spanLimit) return null
  return { inline: { type: 'code', text: source.slice(at + fence.length, end).trim() }, end: end + fence.length }
}

function emphasisAt(source: string, at: number, context: InlineContext): Found | null {
  const mark = source[at] ?? ''
  const isDouble = source[at + 1] === mark
  if (mark === '~' && !isDouble) return null
  const fence = isDouble ? mark + mark : mark
  const start = at + fence.length
  // snake_case is a name, not emphasis
  if (mark === '_' && /\w/.test(source[at - 1] ?? '')) return null
  if (/\s|^$/.test(source[start] ?? '')) return null
  const end = closingMark(source, start, fence)
  if (end < 0) return null
  const children = parseInline(source.slice(start, end), { ...context, depth: context.depth + 1 })
  return { inline: { type: mark === '~' ? 'del' : isDouble ? 'strong' : 'em', children }, end: end + fence.length }
}

function closingMark(source: string, start: number, fence: string): number {
  for (
    let end = source.indexOf(fence, start);
    end >= 0 && end - start < spanLimit;
    end = source.indexOf(fence, end + 1)
  ) {
    const isTight = end > start && !/\s/.test(source[end - 1] ?? '')
    const isPartOfWord = fence.startsWith('_') && /\w/.test(source[end + fence.length] ?? '')
    const isLonger = fence.length === 1 && source[end + 1] === fence
    if (isLonger) end += 1
    else if (isTight && !isPartOfWord) return end
  }
  return -1
}

const linkPattern = /\[([^[\]]{0,1000})\]\(\s*<?([^\s()<>]{1,2000})>?(?:\s+"[^"]{0,500}")?\s*\)/y

function linkAt(source: string, at: number, context: InlineContext): Found | null {
  linkPattern.lastIndex = at
  const match = linkPattern.exec(source)
  if (match === null) return null
  const children = parseInline(match[1] ?? '', { depth: context.depth + 1, isInLink: true })
  const address = safeAddress(match[2] ?? '')
  const end = at + match[0].length
  if (address === null) return { inline: { type: 'text', text: match[0] }, end }
  return { inline: { type: 'link', ...address, children }, end }
}

function imageAt(source: string, at: number): Found | null {
  if (source[at + 1] !== '[') return null
  linkPattern.lastIndex = at + 1
  const match = linkPattern.exec(source)
  if (match === null) return null
  const address = safeAddress(match[2] ?? '')
  const end = at + 1 + match[0].length
  if (address === null) return { inline: { type: 'text', text: `!${match[0]}` }, end }
  return { inline: { type: 'image', ...address, alt: match[1] ?? '' }, end }
}

const bareLink = /https?:\/\/[^\s<>"'`()[\]{}|\\^]{1,2000}/y

function bareLinkAt(source: string, at: number): Found | null {
  if (/[\w/]/.test(source[at - 1] ?? '')) return null
  bareLink.lastIndex = at
  const text = bareLink.exec(source)?.[0].replace(/[.,;:!?*_~]+$/, '')
  const address = text === undefined ? null : safeAddress(text)
  if (text === undefined || address === null) return null
  return { inline: { type: 'link', ...address, children: [{ type: 'text', text }] }, end: at + text.length }
}

/** Accepts only http and https. The host is returned for display, so that a link cannot pretend to lead elsewhere. */
function safeAddress(text: string): { readonly href: string; readonly host: string } | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'http:' || url.protocol === 'https:' ? { href: url.href, host: url.host } : null
}
