// Parses a message into blocks in one pass over its lines. Unknown syntax stays text.
import { type Inline, parseInline } from './inline.ts'

export type MarkdownBlock =
  | { readonly type: 'paragraph'; readonly lines: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: 3 | 4 | 5; readonly lines: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | {
      readonly type: 'list'
      readonly isOrdered: boolean
      readonly start: number
      readonly items: readonly (readonly MarkdownBlock[])[]
    }
  | { readonly type: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly type: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly type: 'rule' }

/** Deeper nesting stays text. */
const depthLimit = 5

export function parseMarkdown(source: string): readonly MarkdownBlock[] {
  return parseBlocks(source.replaceAll('\r\n', '\n').split('\n'), 0)
}

interface Taken {
  readonly block: MarkdownBlock
  readonly next: number
}

function parseBlocks(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let at = 0
  while (at < lines.length) {
    if ((lines[at] ?? '').trim() === '') {
      at += 1
      continue
    }
    const taken = takeBlock(lines, at, depth)
    blocks.push(taken.block)
    at = taken.next
  }
  return blocks
}

function takeBlock(lines: readonly string[], at: number, depth: number): Taken {
  switch (kindAt(lines, at, depth)) {
    case 'heading':
      return heading(lines[at] ?? '', at)
    case 'code':
      return codeFence(lines, at)
    case 'rule':
      return { block: { type: 'rule' }, next: at + 1 }
    case 'table':
      return table(lines, at)
    case 'quote':
      return quote(lines, at, depth)
    case 'list':
      return list(lines, at, depth)
    case 'paragraph':
      return paragraph(lines, at, depth)
  }
}

/** Reads at most two lines, so that finding the end of a paragraph stays cheap. */
function kindAt(lines: readonly string[], at: number, depth: number): MarkdownBlock['type'] {
  const line = (lines[at] ?? '').slice(0, 400)
  const below = (lines[at + 1] ?? '').slice(0, 400)
  if (/^ {0,3}#{1,6}\s/.test(line)) return 'heading'
  if (/^ {0,3}(`{3,}|~{3,})/.test(line)) return 'code'
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return 'rule'
  if (line.includes('|') && below.includes('|') && below.includes('-') && /^[\s|:-]+$/.test(below)) return 'table'
  if (depth >= depthLimit) return 'paragraph'
  if (/^ {0,3}>/.test(line)) return 'quote'
  return listMark(line) === null ? 'paragraph' : 'list'
}

function heading(line: string, at: number): Taken {
  const marks = /^ {0,3}(#+)/.exec(line)?.[1]?.length ?? 1
  const text = line.replace(/^ {0,3}#+\s+/, '').trimEnd()
  const level = marks === 1 ? 3 : marks === 2 ? 4 : 5 // h1 and h2 are reserved for the titles of the page
  return { block: { type: 'heading', level, lines: parseInline(text) }, next: at + 1 }
}

function paragraph(lines: readonly string[], at: number, depth: number): Taken {
  let next = at + 1
  while (next < lines.length && (lines[next] ?? '').trim() !== '' && kindAt(lines, next, depth) === 'paragraph')
    next += 1
  return { block: { type: 'paragraph', lines: parseInline(lines.slice(at, next).join('\n')) }, next }
}

function codeFence(lines: readonly string[], at: number): Taken {
  const [, fence = '```', info = ''] = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/.exec(lines[at] ?? '') ?? []
  let next = at + 1
  while (next < lines.length && !(lines[next] ?? '').trim().startsWith(fence)) next += 1
  const text = lines.slice(at + 1, next).join('\n')
  return { block: { type: 'code', language: info.toLowerCase(), text }, next: next + 1 }
}

function quote(lines: readonly string[], at: number, depth: number): Taken {
  let next = at
  while (next < lines.length && /^ {0,3}>/.test(lines[next] ?? '')) next += 1
  const inner = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ''))
  return { block: { type: 'quote', blocks: parseBlocks(inner, depth + 1) }, next }
}

interface ListMark {
  readonly indent: number
  readonly width: number
  readonly number: number | null
}

function listMark(line: string): ListMark | null {
  const match = /^( *)([-*+]|(\d{1,9})[.)])(?: +|$)/.exec(line.slice(0, 400))
  if (match === null) return null
  const indent = match[1]?.length ?? 0
  return { indent, width: match[0].length, number: match[3] === undefined ? null : Number(match[3]) }
}

function list(lines: readonly string[], at: number, depth: number): Taken {
  const first = listMark(lines[at] ?? '') ?? { indent: 0, width: 2, number: null }
  const items: string[][] = []
  let next = at
  while (next < lines.length) {
    const line = lines[next] ?? ''
    const mark = listMark(line)
    const isSibling =
      mark !== null && mark.indent <= first.indent + 1 && (mark.number === null) === (first.number === null)
    if (isSibling) items.push([line.slice(mark.width)])
    else if (line.trim() === '' && startsDeeper(lines[next + 1], first)) items.at(-1)?.push('')
    else if (indentOf(line) > first.indent && line.trim() !== '')
      items.at(-1)?.push(line.slice(Math.min(first.width, indentOf(line))))
    else break
    next += 1
  }
  const blocks = items.map((item) => parseBlocks(item, depth + 1))
  const block: MarkdownBlock = {
    type: 'list',
    isOrdered: first.number !== null,
    start: first.number ?? 1,
    items: blocks,
  }
  return { block, next }
}

function startsDeeper(line: string | undefined, first: ListMark): boolean {
  if (line === undefined || line.trim() === '') return false
  const mark = listMark(line)
  return indentOf(line) > first.indent || (mark !== null && (mark.number === null) === (first.number === null))
}

const indentOf = (line: string): number => line.length - line.trimStart().length

function table(lines: readonly string[], at: number): Taken {
  let next = at + 2
  while (next < lines.length && (lines[next] ?? '').includes('|')) next += 1
  const head = cells(lines[at] ?? '')
  return { block: { type: 'table', head, rows: lines.slice(at + 2, next).map(cells) }, next }
}

const cells = (line: string): readonly (readonly Inline[])[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => parseInline(cell.trim()))
