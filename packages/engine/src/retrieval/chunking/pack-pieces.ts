// Texts into passages of at most so many tokens, each beginning with the end of the one before when asked.
import { type YieldPoint, yieldPoint } from '../reading/yield-point.ts'
import { charactersOf } from './characters-of.ts'

/** What must not be parted unless it is larger than a passage. */
export interface Piece {
  readonly text: string
  readonly line: number | null
  /** Between this piece and the one before. */
  readonly separator: string
  /** Repeated before the rest when the piece has to be parted: a table's header. */
  readonly header?: string
}

export interface Packed {
  readonly text: string
  readonly line: number | null
}

export function* packPieces(
  pieces: Iterable<Piece | YieldPoint>,
  size: { maxTokens: number; overlap: number },
): Generator<Packed | YieldPoint> {
  const max = charactersOf(size.maxTokens)
  // A passage that is mostly the end of the last one would never come forward.
  const overlap = Math.min(charactersOf(size.overlap), Math.floor(max / 2))
  let text = ''
  let line: number | null = null

  function* end(): Generator<Packed> {
    if (text.trim() !== '') yield { text: text.trim(), line }
    text = ''
  }

  for (const piece of partPieces(pieces, max - overlap)) {
    if (piece === yieldPoint) {
      yield yieldPoint
      continue
    }
    const joined = text === '' ? piece.text : `${text}${piece.separator}${piece.text}`
    if (joined.length <= max) {
      if (text === '') line = piece.line
      text = joined
      continue
    }
    const before = text
    yield* end()
    line = piece.line
    const tail = lastWords(before, Math.min(overlap, max - piece.text.length - piece.separator.length))
    text = tail === '' ? piece.text : `${tail}${piece.separator}${piece.text}`
  }
  yield* end()
}

function* partPieces(pieces: Iterable<Piece | YieldPoint>, max: number): Generator<Piece | YieldPoint> {
  for (const piece of pieces) {
    if (piece === yieldPoint) yield yieldPoint
    else yield* partPiece(piece, max)
  }
}

/** The end of a text from the beginning of a word, or of a sentence where one begins. */
function lastWords(text: string, length: number): string {
  if (length <= 0) return ''
  if (text.length <= length) return text
  const tail = text.slice(-length)
  const sentence = /[.!?]\s+(?=\S)/.exec(tail)
  if (sentence !== null && sentence.index < length / 2) return tail.slice(sentence.index + sentence[0].length)
  const word = tail.search(/\s/)
  return word === -1 ? '' : tail.slice(word + 1).trimStart()
}

function* partPiece(piece: Piece, max: number): Generator<Piece> {
  if (piece.text.length <= max) {
    yield piece
    return
  }
  const { header, separator, line } = piece
  const maxBody = header === undefined ? max : max - header.length - 1
  // A header that leaves no room for rows is not repeated.
  const repeated = maxBody < max / 4 ? undefined : header
  const body = repeated === undefined ? piece.text : piece.text.slice(repeated.length + 1)
  let isFirst = true
  for (const text of partText(body, repeated === undefined ? max : maxBody)) {
    yield {
      text: repeated === undefined ? text : `${repeated}\n${text}`,
      line,
      separator: isFirst ? separator : '\n',
    }
    isFirst = false
  }
}

/** At the largest break that fits: lines, then sentences, then words, then anywhere. */
function* partText(text: string, max: number): Generator<string> {
  let rest = text
  while (rest.length > max) {
    const cut = breakBefore(rest, max)
    const part = rest.slice(0, cut).trimEnd()
    if (part !== '') yield part
    rest = rest.slice(cut).trimStart()
  }
  if (rest !== '') yield rest
}

function breakBefore(text: string, max: number): number {
  const head = text.slice(0, max + 1)
  const least = max / 3
  const newline = head.lastIndexOf('\n')
  if (newline > least) return newline
  const sentence = [...head.matchAll(/[.!?;]\s/g)].at(-1)?.index ?? -1
  if (sentence > least) return sentence + 1
  const space = head.search(/\s\S*$/)
  if (space > 0) return space
  // Not between the halves of one character.
  return /[\uD800-\uDBFF]/.test(text[max - 1] ?? '') ? max - 1 : max
}
