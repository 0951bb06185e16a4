import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { Rejected } from '../../domain/query-engine.ts'
import { RejectedDialog } from './rejected-dialog.tsx'

const short: Rejected = { line: 2, column: null, problem: '4 columns instead of 7', text: '1,2,3,4' }
const word: Rejected = { line: 3, column: 'sold', problem: '"many" is not a number', text: 'East,many' }
const quote: Rejected = { line: 4, column: null, problem: 'unterminated quote', text: '"x' }

const page = (rejected: readonly Rejected[], rowCount = 5): string => {
  const table: ImportedTable = {
    name: 'odd',
    rowCount,
    columns: [],
    neverSent: [],
    rejectedCount: rejected.length,
    rejected,
    source: { file: 'odd.csv', format: 'csv', sizeBytes: 1, fingerprint: 'f' },
    addedAt: '2026-01-01T00:00:00Z',
    isKept: true,
  }
  return renderToStaticMarkup(<RejectedDialog table={table} onAgain={() => undefined} onClose={() => undefined} />)
}
const mainButton = (html: string) => /<button[^>]*class="btn primary"[^>]*>([^<]*)/.exec(html)?.[1]

describe('RejectedDialog', () => {
  it('suggests other types only when a value does not fit', () => {
    for (const html of [page([word]), page([short, word])]) {
      expect(html).toContain('A text column accepts every value.')
      expect(mainButton(html)).toBe('Change types and read again')
    }
    expect(page([word])).toContain('Leave it out')
    expect(page([short, word])).toContain('Leave them out')
  })

  it('asks to fix the file when rows have a different number of values', () => {
    expect(page([short, short])).toContain(
      'These rows have more or fewer values than the header. Fix them in the file, or leave them out.',
    )
    expect(mainButton(page([short, short]))).toBe('Leave them out')
    expect(page([short])).toContain('This row has more or fewer values than the header. Fix it in the file')
    expect(mainButton(page([short]))).toBe('Leave it out')
    expect(page([short])).not.toContain('types')
    expect(page([quote, short])).toContain('Changing types does not help here. Fix them in the file')
  })

  it('shows a dash for a row that was rejected without a column', () => {
    expect(page([short])).toContain('aria-hidden="true">–</span><span class="visually-hidden">no column</span>')
    expect(page([word])).not.toContain('no column')
  })

  it('counts the rows that were added', () => {
    expect(page([word], 1)).toContain('The other 1 row is in the table odd.')
    expect(page([word])).toContain('The other 5 rows are in the table odd.')
  })
})
