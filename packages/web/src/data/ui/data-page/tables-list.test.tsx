import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { importedTable } from '../../domain/imported-table.fixture.ts'
import { TablesList } from './tables-list.tsx'

const nothing = () => undefined
const actions = { onRejected: nothing, onReadAgain: nothing, onRename: nothing, onRemove: nothing }

it('shows the name of a table as text, because bold names on this page are links', () => {
  const html = renderToStaticMarkup(
    <TablesList tables={[importedTable('depots', { id: 'BIGINT' })]} actions={actions} />,
  )
  expect(html).toContain('<p class="ellipsis"><bdi>depots</bdi></p>')
  expect(html).not.toMatch(/<(a|b)[ >]/)
})
