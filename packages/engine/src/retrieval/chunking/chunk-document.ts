// Splits a document into passages. By structure: a passage never crosses a heading or a clause, tables keep their
// header, and code stays together while it fits. By tokens: only the size counts.
import type { DocumentBlock, Table } from '../reading/document.ts'
import { type YieldPoint, yieldPoint } from '../reading/yield-point.ts'
import { clauseNumber, findClauses } from './find-clauses.ts'
import { type Piece, packPieces } from './pack-pieces.ts'
import type { Definition, Passage } from './passage.ts'

export interface Chunking {
  readonly strategy: 'structure' | 'token'
  readonly maxTokens: number
  readonly overlap: number
  readonly maxSubsectionDepth: number | null
  readonly extractDefinitions: boolean
  readonly extractReferences: boolean
}

/** Yields at the document's yield points, and within a long section. */
export function* chunkDocument(
  blocks: Iterable<DocumentBlock | YieldPoint>,
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

/** Headings and rows are part of the text. */
function wholeSection(blocks: Iterable<DocumentBlock | YieldPoint>): Section {
  return { headings: [], pieces: piecesOf(blocks), record: null }
}

function* piecesOf(blocks: Iterable<DocumentBlock | YieldPoint>): Generator<Piece | YieldPoint> {
  for (const block of blocks) yield block === yieldPoint ? yieldPoint : toPiece(block)
}

/** A section may be as long as the document. */
const blocksBetweenPauses = 50

function* splitSections(
  blocks: Iterable<DocumentBlock | YieldPoint>,
  chunking: Chunking,
): Generator<Section | YieldPoint> {
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

function toPiece(block: DocumentBlock): Piece {
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

const longestMeaning = 400

const defining =
  /(?:["“]([^"”\n]{2,60})["”]|\*\*([^*\n]{2,60})\*\*)\s+(?:shall\s+)?(?:means?|refers?\s+to|is\s+defined\s+as|has\s+the\s+meaning)\b\s*(.*?)(?=\n\s*\n|\n\d+(?:\.\d+)+\s|\n["“*]|\.(?:\s|$)|;(?:\s|$)|$)/gis

/** `"Device" means a probe …` and `**Sonde** means …`. */
function extractDefinitions(text: string): Definition[] {
  return [...text.matchAll(defining)].flatMap(([, quoted, bold, meaning]) => {
    const term = (quoted ?? bold ?? '').trim()
    const words = (meaning ?? '').replaceAll(/\s+/g, ' ').trim()
    return term === '' || words === '' ? [] : [{ term, meaning: words.slice(0, longestMeaning) }]
  })
}

const naming =
  /\b(?:clauses?|sections?|articles?|paragraphs?|annex|appendix|§)\s*(\d+(?:\.\d+)*(?:\([a-z0-9]+\))*|[A-Z]\b)((?:\s*(?:,|and|or|to)\s*\d+(?:\.\d+)*)*)/gi

/** The references in a text: `4.2` of "see clause 4.2", both of "sections 3 and 5.1". Its own number does not count. */
function extractReferences(text: string, own: string | null): string[] {
  const found = [...text.matchAll(naming)].flatMap(([, first, more]) => [
    first ?? '',
    ...[...(more ?? '').matchAll(/\d+(?:\.\d+)*/g)].map(([number]) => number),
  ])
  return [...new Set(found)].filter((number) => number !== '' && number !== own)
}
