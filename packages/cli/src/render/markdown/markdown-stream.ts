// Markdown as it streams in: each block is written when it ends, code and lists line by line. A terminal that can move
// its cursor shows the unfinished block below them and redraws it as it grows.
import { stripVTControlCharacters } from 'node:util'
import { visibleText } from '@quarterdeck/protocol'
import { lexer, type Token, type Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { blockLines, blocksLines, itemLines, type RenderContext } from './block-lines.ts'
import { displayWidth } from './display-width.ts'

export interface Screen {
  readonly palette: Palette
  /** Columns, as they are now: a window may be resized. */
  readonly width: () => number
  /** Rows, as they are now. Left out for a terminal that cannot move its cursor up. */
  readonly height?: () => number
}

export const markdownText = (text: string, { palette, width }: Screen): string =>
  blocksLines(tokensOf(sanitized(text)), { palette, width: width() }).join('\n')

/** Removes control sequences and escapes hidden characters. */
const sanitized = (text: string): string => visibleText(stripVTControlCharacters(text).replaceAll('\r\n', '\n'))

/** Nesting that is too deep for the lexer is shown as it is written. */
function tokensOf(source: string): readonly Token[] {
  try {
    return lexer(source)
  } catch (error) {
    if (error instanceof RangeError) return [{ type: 'text', raw: source, text: source }]
    throw error
  }
}

/** Below this many characters the unfinished block is read again for every line. */
const smallSource = 2048

export function createMarkdownStream(options: Screen & { readonly write: (text: string) => void }) {
  const { palette, width, height } = options
  /** The unfinished line, unsanitized: a control sequence may arrive in two parts. */
  let partial = ''
  /** Whole lines, from the first block that has not ended. */
  let source = ''
  /** How many lines of that block are already written. */
  let shown = 0
  let hasWritten = false
  /** The length at which `source` is read next: a long block is read only after it grew by an eighth. */
  let nextLength = 0
  const context = (): RenderContext => ({ palette, width: width() })
  /** Collected and written at once, so that a redrawn block does not flicker. */
  let output = ''
  /** Rows of the unfinished block on the screen. The cursor is on the row below them. */
  let drawnRows = 0

  const write = (text: string): void => {
    output += text
  }

  function flush(): void {
    if (output !== '') options.write(output)
    output = ''
  }

  function erase(): void {
    if (drawnRows > 0) write(`\u001B[${drawnRows}A\r\u001B[J`)
    drawnRows = 0
  }

  /** Only rows on the screen can be erased again, so that a long block shows its end. */
  function draw(): void {
    if (height === undefined) return
    const pending = unfinishedLines()
    const rows = (line: string) => Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / width()))
    let free = height() - 2
    let first = pending.length
    while (first > 0 && free >= rows(pending[first - 1] ?? '')) free -= rows(pending[--first] ?? '')
    const lines = pending.slice(first)
    drawnRows = lines.reduce((sum, line) => sum + rows(line), 0)
    write(lines.map((line) => `${line}\n`).join(''))
  }

  function unfinishedLines(): readonly string[] {
    const text = (source.length < smallSource ? source : '') + sanitized(partial)
    const lines = blocksLines(tokensOf(text), context()).slice(source.length < smallSource ? shown : 0)
    return lines.length > 0 && shown === 0 && hasWritten ? ['', ...lines] : lines
  }

  function writeLines(lines: readonly string[]): void {
    const fresh = lines.slice(shown)
    if (fresh.length === 0) return
    const gap = shown === 0 && hasWritten ? '\n' : ''
    write(`${gap}${fresh.join('\n')}\n`)
    shown += fresh.length
    hasWritten = true
  }

  function writeEnded(tokens: readonly Token[]): void {
    for (const token of tokens) {
      writeLines(blockLines(token, context()))
      shown = 0
      source = source.slice(token.raw.length)
    }
  }

  function advance(): void {
    if (source.length < nextLength) return
    const tokens = tokensOf(source)
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const open = tokens[last]
    if (open === undefined) return
    // An empty line ends every block except lists and quotes, which may continue after it.
    const hasEnded = last < tokens.length - 1 && open.type !== 'list' && open.type !== 'blockquote'
    writeEnded(tokens.slice(0, hasEnded ? last + 1 : last))
    if (!hasEnded) writeLines(settledLines(open, context()))
    nextLength = source.length < smallSource ? 0 : source.length * 1.125
  }

  return {
    push(text: string) {
      erase()
      partial += text
      const end = partial.lastIndexOf('\n') + 1
      if (end > 0) {
        source += sanitized(partial.slice(0, end))
        partial = partial.slice(end)
        advance()
      }
      draw()
      flush()
    },
    /** Writes the rest. The next `push` begins a new text. */
    end() {
      erase()
      source += sanitized(partial)
      partial = ''
      writeEnded(tokensOf(source))
      source = ''
      nextLength = 0
      hasWritten = false
      flush()
    },
  }
}

/** Lines of an unfinished block that later text cannot change. */
function settledLines(token: Token, context: RenderContext): readonly string[] {
  if (token.type === 'code') return blockLines(token, context).slice(0, -1)
  if (token.type !== 'list') return []
  const list = token as Tokens.List // `type` says so; the open type at the end of marked's union keeps it from narrowing
  return list.items.slice(0, -1).flatMap((item, at) => itemLines(list, { item, at }, context))
}
