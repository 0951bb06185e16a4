// Markdown within a block, as pieces of text with their styles, wrapped at word boundaries.
import { visibleText } from '@quarterdeck/protocol'
import type { Token, Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { cutToWidth, displayWidth } from './display-width.ts'

export type Style = 'bold' | 'italic' | 'struck' | 'code' | 'link' | 'dim'

export interface StyledPiece {
  /** A line feed is a line break. */
  readonly text: string
  readonly styles: readonly Style[]
}

/**
 * Without colors the marks of the source stay, because nothing else shows styles. The lexer decodes numeric entities,
 * which may be control characters: these are escaped here.
 */
export const inlinePieces = (
  tokens: readonly Token[],
  palette: Palette,
  styles: readonly Style[] = [],
): StyledPiece[] => styledPieces(tokens, palette, styles).map((piece) => ({ ...piece, text: visibleText(piece.text) }))

function styledPieces(tokens: readonly Token[], palette: Palette, styles: readonly Style[]): StyledPiece[] {
  const within = (more: Style, mark: string, inner: readonly Token[]): StyledPiece[] => {
    const pieces = styledPieces(inner, palette, [...styles, more])
    const edge = { text: mark, styles }
    return palette.isColored ? pieces : [edge, ...pieces, edge]
  }
  const plain = (text: string): StyledPiece[] => [{ text, styles }]
  return tokens.flatMap((token): StyledPiece[] => {
    const known = token as Tokens.Generic // the union of marked ends with an open type, which hides the fields
    switch (known.type) {
      case 'strong':
        return within('bold', '**', known.tokens ?? [])
      case 'em':
        return within('italic', '*', known.tokens ?? [])
      case 'del':
        return within('struck', '~~', known.tokens ?? [])
      case 'codespan':
        return palette.isColored ? [{ text: known.text, styles: [...styles, 'code'] }] : plain(known.raw)
      case 'link':
        return linkPieces(styledPieces(known.tokens ?? [], palette, [...styles, 'link']), known.href, styles)
      case 'image':
        return linkPieces(plain(`[image: ${known.text}]`), known.href, styles)
      case 'br':
        return plain('\n')
      case 'text':
        return known.tokens === undefined
          ? plain(withoutEntities(known.text))
          : styledPieces(known.tokens, palette, styles)
      default:
        return plain(known.type === 'escape' ? known.text : known.raw)
    }
  })
}

/** The address is always shown: a terminal gives no other way to see where a link leads. */
function linkPieces(label: readonly StyledPiece[], href: string, styles: readonly Style[]): StyledPiece[] {
  const words = label.map(({ text }) => text).join('')
  if (words === href || `mailto:${words}` === href || `http://${words}` === href) return [...label]
  return [...label, { text: ` (${href})`, styles: [...styles, 'dim'] }]
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

/** The lexer leaves named entities as they are. */
const withoutEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)

export interface Wrapping {
  /** Columns. */
  readonly width: number
  /** What happens to a word wider than a line, such as an address. */
  readonly longWords: 'overflow' | 'cut'
}

export function wrapPieces(
  pieces: readonly StyledPiece[],
  { width, longWords }: Wrapping,
): readonly (readonly StyledPiece[])[] {
  const lines: StyledPiece[][] = [[]]
  let used = 0
  const breakLine = () => {
    lines.push([])
    used = 0
  }
  const put = (piece: StyledPiece) => {
    lines.at(-1)?.push(piece)
    used += displayWidth(piece.text)
  }
  for (const word of wordsOf(pieces)) {
    if (word === 'break') {
      breakLine()
      continue
    }
    const length = widthOf(word.pieces)
    const gap = used > 0 && word.isSpaced ? 1 : 0
    if (used > 0 && used + gap + length > width) breakLine()
    else if (gap > 0) put({ text: ' ', styles: sharedStyles(lines.at(-1)?.at(-1), word.pieces[0]) })
    if (longWords === 'overflow' || length <= width) word.pieces.forEach(put)
    else {
      for (const piece of word.pieces) {
        for (const text of cutToWidth(piece.text, width)) {
          if (used > 0 && used + displayWidth(text) > width) breakLine()
          put({ ...piece, text })
        }
      }
    }
  }
  return lines
}

/** The styles of a space between two words: an underline ends with its words. */
const sharedStyles = (left: StyledPiece | undefined, right: StyledPiece | undefined): readonly Style[] =>
  left?.styles.filter((style) => right?.styles.includes(style)) ?? []

export const widthOf = (pieces: readonly StyledPiece[]): number =>
  pieces.reduce((sum, { text }) => sum + displayWidth(text), 0)

interface Word {
  readonly pieces: StyledPiece[]
  readonly isSpaced: boolean
}

/** A word may have several styles, as in `**a**b`. */
function wordsOf(pieces: readonly StyledPiece[]): readonly (Word | 'break')[] {
  const words: (Word | 'break')[] = []
  let isSpaced = false
  let open: Word | null = null
  for (const { text, styles } of pieces) {
    for (const part of text.split(/(\n|[ \t]+)/)) {
      if (part === '') continue
      if (part === '\n') {
        words.push('break')
        open = null
        isSpaced = false
      } else if (/^[ \t]+$/.test(part)) {
        open = null
        isSpaced = true
      } else {
        if (open === null) {
          open = { pieces: [], isSpaced }
          words.push(open)
        }
        open.pieces.push({ text: part, styles })
        isSpaced = false
      }
    }
  }
  return words
}

export function paint(pieces: readonly StyledPiece[], palette: Palette): string {
  const painters: Readonly<Record<Style, (text: string) => string>> = {
    bold: palette.bold,
    italic: palette.italic,
    struck: palette.struck,
    code: palette.accent,
    link: palette.underline,
    dim: palette.dim,
  }
  const runs: { text: string; styles: readonly Style[] }[] = []
  for (const { text, styles } of pieces) {
    const last = runs.at(-1)
    if (last !== undefined && last.styles.join() === styles.join()) last.text += text
    else runs.push({ text, styles })
  }
  return runs.map(({ text, styles }) => styles.reduce((painted, style) => painters[style](painted), text)).join('')
}
