import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import type { Rejected } from '../../../domain/query-engine.ts'
import { RejectedDialog } from './rejected-dialog.tsx'

const short: Rejected = { line: 2, column: null, problem: '4 columns instead of 7', text: '1,2,3,4' }
const word: Rejected = { line: 3, column: 'sold', problem: '"many" is no number', text: 'East,many' }
const quote: Rejected = { line: 4, column: null, problem: 'a quote that is not closed', text: '"x' }

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
const mainButton = (html: string) => /<button[^>]*class="btn ink"[^>]*>([^<]*)/.exec(html)?.[1]

describe('the dialog of rejected rows', () => {
  it('advises other types only where a value does not fit', () => {
    for (const html of [page([word]), page([short, word])]) {
      expect(html).toContain('A column read as text takes every value.')
      expect(mainButton(html)).toBe('Change types and read it again')
    }
    expect(page([word])).toContain('Leave it out')
    expect(page([short, word])).toContain('Leave them out')
  })

  it('says of rows of another width that they have to be mended in the file', () => {
    expect(page([short, short])).toContain(
      'These rows have more or fewer values than the others: mend them in the file, or leave them out.',
    )
    expect(mainButton(page([short, short]))).toBe('Leave them out')
    expect(page([short])).toContain('This row has more or fewer values than the others: mend it in the file')
    expect(mainButton(page([short]))).toBe('Leave it out')
    expect(page([short])).not.toContain('types')
    expect(page([quote, short])).toContain('Other types do not help here: mend them in the file')
  })

  it('has a dash where a row was rejected for no column', () => {
    expect(page([short])).toContain('aria-hidden="true">–</span><span class="unseen">no column</span>')
    expect(page([word])).not.toContain('no column')
  })

  it('counts the rows that are in', () => {
    expect(page([word], 1)).toContain('The other 1 row is in the table odd.')
    expect(page([word])).toContain('The other 5 rows are in the table odd.')
  })
})
