import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ReviewColumns } from './review-columns.tsx'

const page = (count: number): string => {
  const columns = Array.from({ length: count }, (_, at) => ({ name: `c${at}`, sourceName: `c${at}`, type: 'BIGINT' }))
  const table = { part: null, isChosen: true, name: 't', columns, preview: { columns: [], rows: [] }, rowCount: 1 }
  return renderToStaticMarkup(<ReviewColumns table={table} check={null} onChange={() => undefined} />)
}

it('renders the first hundred columns of a wide table, and offers the others', () => {
  expect(page(1000).split('<li ').length - 1).toBe(100)
  expect(page(1000)).toContain('Show all 1,000 columns')
  expect(page(100).split('<li ').length - 1).toBe(100)
  expect(page(100)).not.toContain('Show all')
})
