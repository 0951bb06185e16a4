// Packs texts into passages of a maximum size. With an overlap, each passage starts with the end of the previous one.
import { estimateCharacters } from '@quarterdeck/protocol'
import { type YieldPoint, yieldPoint } from '../reading/yield-point.ts'

/** A text that is split only if it is larger than a passage. */
export interface Piece {
  readonly text: string
  readonly line: number | null
  /** Between this piece and the previous one. */
  readonly separator: string
  /** Repeated in each part if the piece has to be split: a table's header. */
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
  const max = estimateCharacters(size.maxTokens)
  // An overlap larger than half a passage would make no progress.
  const overlap = Math.min(estimateCharacters(size.overlap), Math.floor(max / 2))
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

/** The end of a text, starting at a sentence if possible, otherwise at a word. */
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
  // A header that leaves too little space for rows is not repeated.
  const repeated = maxBody < max / 4 ? undefined : header
  const body = repeated === undefined ? piece.text : piece.text.slice(repeated.length + 1)
  let isFirst = true
  for (const text of partText(body, repeated === undefined ? max : maxBody)) {
    yield { text: repeated === undefined ? text : `${repeated}\n${text}`, line, separator: isFirst ? separator : '\n' }
    isFirst = false
  }
}

/** Splits at the best break that fits: line, sentence, word, any character. */
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
  // Not between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text[max - 1] ?? '') ? max - 1 : max
}
