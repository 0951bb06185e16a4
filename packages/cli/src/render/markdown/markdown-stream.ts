// Markdown as it streams in: each block is written when it ends, code and lists line by line.
import { stripVTControlCharacters } from 'node:util'
import { visibleText } from '@quarterdeck/protocol'
import { lexer, type Token, type Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { blockLines, blocksLines, itemLines } from './block-lines.ts'
import type { RenderContext } from './render-context.ts'

export interface Screen {
  readonly palette: Palette
  /** Columns, as they are now: a window may be resized. */
  readonly width: () => number
}

export interface MarkdownStream {
  push(text: string): void
  /** Writes the rest. The next `push` begins a new text. */
  end(): void
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

export function createMarkdownStream({
  palette,
  width,
  write,
}: Screen & { readonly write: (text: string) => void }): MarkdownStream {
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
    push(text) {
      partial += text
      const end = partial.lastIndexOf('\n') + 1
      if (end === 0) return
      source += sanitized(partial.slice(0, end))
      partial = partial.slice(end)
      advance()
    },
    end() {
      source += sanitized(partial)
      partial = ''
      writeEnded(tokensOf(source))
      source = ''
      nextLength = 0
      hasWritten = false
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
