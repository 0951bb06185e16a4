// Markdown as it streams in: each block is written when it ends, code and lists line by line.
import { stripVTControlCharacters } from 'node:util'
import { visibleText } from '@quarterdeck/protocol'
import { lexer, type Token, type Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { blockLines, blocksLines, itemLines, type Page } from './block-lines.ts'

export interface Screen {
  readonly palette: Palette
  /** Columns, as they are now: a window may be resized. */
  readonly width: () => number
}

export interface MarkdownStream {
  push(text: string): void
  /** Writes what is left. What comes next begins a new text. */
  end(): void
}

export const markdownText = (text: string, { palette, width }: Screen): string =>
  blocksLines(lexer(sanitized(text)), { palette, width: width() }).join('\n')

/** Control sequences of the text are removed; hidden characters become visible. */
const sanitized = (text: string): string => visibleText(stripVTControlCharacters(text).replaceAll('\r\n', '\n'))

export function createMarkdownStream({
  palette,
  width,
  write,
}: Screen & { readonly write: (text: string) => void }): MarkdownStream {
  /** The line under way, as it came: a control sequence may arrive in two parts. */
  let partial = ''
  /** Whole lines, from the first block that has not ended. */
  let source = ''
  /** Lines of that block that are written already. */
  let shown = 0
  let hasWritten = false
  const page = (): Page => ({ palette, width: width() })

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
      writeLines(blockLines(token, page()))
      shown = 0
      source = source.slice(token.raw.length)
    }
  }

  function advance(): void {
    const tokens = lexer(source)
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const open = tokens[last]
    if (open === undefined) return
    // An empty line ends every block but those that may go on after it.
    const hasEnded = last < tokens.length - 1 && open.type !== 'list' && open.type !== 'blockquote'
    writeEnded(tokens.slice(0, hasEnded ? last + 1 : last))
    if (!hasEnded) writeLines(settledLines(open, page()))
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
      writeEnded(lexer(source))
      source = ''
      hasWritten = false
    },
  }
}

/** Lines of a block under way that nothing to come can change. */
function settledLines(token: Token, page: Page): readonly string[] {
  if (token.type === 'code') return blockLines(token, page).slice(0, -1)
  if (token.type !== 'list') return []
  const list = token as Tokens.List // `type` says so; the open type at the end of marked's union keeps it from narrowing
  return list.items.slice(0, -1).flatMap((item, at) => itemLines(list, { item, at }, page))
}
