import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Pictures } from './pictures.tsx'

it('shows each picture from the data in the log, and nothing for a message without pictures', () => {
  const picture = { mediaType: 'image/png', data: 'AAAA' }
  const shown = renderToStaticMarkup(<Pictures images={[picture, picture]} />)
  expect(shown.match(/<img /g)).toHaveLength(2)
  expect(shown).toContain('src="data:image/png;base64,AAAA" alt="Attachment 2 of 2"')
  expect(renderToStaticMarkup(<Pictures images={[]} />)).toBe('')
})
