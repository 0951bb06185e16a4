import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { AttachedImages } from './user-band.tsx'

it('shows each image from the data in the log, and nothing for a message without images', () => {
  const image = { mediaType: 'image/png', data: 'AAAA' } as const
  const shown = renderToStaticMarkup(<AttachedImages images={[image, image]} />)
  expect(shown.match(/<img /g)).toHaveLength(2)
  expect(shown).toContain('src="data:image/png;base64,AAAA" alt="Attachment 2 of 2"')
  expect(renderToStaticMarkup(<AttachedImages images={[]} />)).toBe('')
})
