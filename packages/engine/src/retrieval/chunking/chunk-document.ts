// A document into passages. By structure: a passage never crosses a heading or a clause, tables keep their header, code
// stays in one piece while it fits. By tokens: only the size counts.
import type { Block, Table } from '../reading/document.ts'
import { type YieldPoint, yieldPoint } from '../reading/yield-point.ts'
import { extractDefinitions } from './extract-definitions.ts'
import { extractReferences } from './extract-references.ts'
import { clauseNumber, findClauses } from './find-clauses.ts'
import { type Piece, packPieces } from './pack-pieces.ts'
import type { Passage } from './passage.ts'

export interface Chunking {
  readonly strategy: 'structure' | 'token'
  readonly maxTokens: number
  readonly overlap: number
  readonly maxSubsectionDepth: number | null
  readonly extractDefinitions: boolean
  readonly extractReferences: boolean
}

/** Pauses where the document does, and in the middle of a long section. */
export function* chunkDocument(
  blocks: Iterable<Block | YieldPoint>,
  chunking: Chunking,
): Generator<Passage | YieldPoint> {
  for (const section of chunking.strategy === 'token' ? [wholeSection(blocks)] : splitSections(blocks, chunking)) {
    if (section === yieldPoint) yield yieldPoint
    else yield* chunkSection(section, chunking)
  }
}

interface Section {
  readonly headings: readonly string[]
  readonly pieces: Iterable<Piece | YieldPoint>
  readonly record: { readonly row: string; readonly details: Readonly<Record<string, string>> } | null
}

/** Headings and rows stand in the text like everything else. */
function wholeSection(blocks: Iterable<Block | YieldPoint>): Section {
  return { headings: [], pieces: piecesOf(blocks), record: null }
}

function* piecesOf(blocks: Iterable<Block | YieldPoint>): Generator<Piece | YieldPoint> {
  for (const block of blocks) yield block === yieldPoint ? yieldPoint : toPiece(block)
}

/** A section may be as long as the document. */
const blocksBetweenPauses = 50

function* splitSections(blocks: Iterable<Block | YieldPoint>, chunking: Chunking): Generator<Section | YieldPoint> {
  const chain: { level: number; text: string }[] = []
  let open: (Section & { readonly pieces: Piece[] }) | null = null
  let count = 0
  const headingsNow = () => chain.map(({ text }) => text)
  function* end() {
    if (open !== null) yield open
    open = null
  }
  for (const block of blocks) {
    if (block === yieldPoint) yield yieldPoint
    else if (block.type === 'heading') {
      yield* end()
      while ((chain.at(-1)?.level ?? 0) >= block.level) chain.pop()
      chain.push(block)
    } else if (block.type === 'record') {
      yield* end()
      const { row, details } = block
      yield { headings: headingsNow(), pieces: [toPiece(block)], record: { row, details } }
    } else if (block.type === 'text') {
      for (const part of findClauses(block.text, chunking.maxSubsectionDepth)) {
        if (part.number !== null) {
          yield* end()
          open = { headings: [...headingsNow(), part.number], pieces: [], record: null }
        }
        open ??= { headings: headingsNow(), pieces: [], record: null }
        open.pieces.push({ text: part.text, line: block.line + part.lineOffset, separator: '\n\n' })
      }
    } else {
      open ??= { headings: headingsNow(), pieces: [], record: null }
      open.pieces.push(toPiece(block))
    }
    if (++count % blocksBetweenPauses === 0) yield yieldPoint
  }
  yield* end()
}

function toPiece(block: Block): Piece {
  switch (block.type) {
    case 'record':
      return { text: block.text, line: null, separator: '\n\n' }
    case 'table': {
      const [header, ...rows] = tableLines(block)
      return { text: [header, ...rows].join('\n'), line: block.line, separator: '\n\n', header: header ?? '' }
    }
    default:
      return { text: block.text, line: block.line, separator: '\n\n' }
  }
}

const tableLines = ({ header, rows }: Table): string[] =>
  [header, ...rows].map((cells) => cells.map((cell) => cell.replaceAll(/\s+/g, ' ')).join(' | '))

function* chunkSection({ headings, pieces, record }: Section, chunking: Chunking): Generator<Passage | YieldPoint> {
  const own = clauseNumber(headings.at(-1) ?? '')
  for (const packed of packPieces(pieces, chunking)) {
    if (packed === yieldPoint) {
      yield yieldPoint
      continue
    }
    const { text, line } = packed
    yield {
      text,
      headings,
      line: record === null ? line : null,
      row: record?.row ?? null,
      details: record?.details ?? {},
      definitions: chunking.extractDefinitions ? extractDefinitions(text) : [],
      references: chunking.extractReferences ? extractReferences(text, own) : [],
    }
  }
}
