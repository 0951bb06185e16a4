// A document into passages. By structure: a passage never crosses a heading or a clause, tables keep their header, code
// stays in one piece while it fits. By tokens: only the size counts.
import type { Block, Table } from '../reading/document.ts'
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

export function chunkDocument(blocks: readonly Block[], chunking: Chunking): Passage[] {
  const sections = chunking.strategy === 'token' ? [wholeSection(blocks)] : splitSections(blocks, chunking)
  return sections.flatMap((section) => chunkSection(section, chunking))
}

interface Section {
  readonly headings: readonly string[]
  readonly pieces: Piece[]
  readonly record: { readonly row: string; readonly details: Readonly<Record<string, string>> } | null
}

/** Headings and rows stand in the text like everything else. */
function wholeSection(blocks: readonly Block[]): Section {
  return { headings: [], pieces: blocks.map(toPiece), record: null }
}

function splitSections(blocks: readonly Block[], chunking: Chunking): Section[] {
  const sections: Section[] = []
  const chain: { level: number; text: string }[] = []
  let open: Section | null = null
  const headingsNow = () => chain.map(({ text }) => text)
  const begin = (headings: readonly string[]) => {
    open = { headings, pieces: [], record: null }
    sections.push(open)
    return open
  }
  for (const block of blocks) {
    if (block.type === 'heading') {
      while ((chain.at(-1)?.level ?? 0) >= block.level) chain.pop()
      chain.push(block)
      open = null
    } else if (block.type === 'record') {
      const { row, details } = block
      sections.push({ headings: headingsNow(), pieces: [toPiece(block)], record: { row, details } })
      open = null
    } else if (block.type === 'text') {
      for (const part of findClauses(block.text, chunking.maxSubsectionDepth)) {
        const section: Section =
          part.number === null ? (open ?? begin(headingsNow())) : begin([...headingsNow(), part.number])
        section.pieces.push({ text: part.text, line: block.line + part.lineOffset, separator: '\n\n' })
      }
    } else (open ?? begin(headingsNow())).pieces.push(toPiece(block))
  }
  return sections
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

function chunkSection({ headings, pieces, record }: Section, chunking: Chunking): Passage[] {
  return packPieces(pieces, chunking).map(({ text, line }) => ({
    text,
    headings,
    line: record === null ? line : null,
    row: record?.row ?? null,
    details: record?.details ?? {},
    definitions: chunking.extractDefinitions ? extractDefinitions(text) : [],
    references: chunking.extractReferences ? extractReferences(text, clauseNumber(headings.at(-1) ?? '')) : [],
  }))
}
