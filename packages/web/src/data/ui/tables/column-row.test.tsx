import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { MiniBars } from './column-row.tsx'

it('keeps rare values visible in the small histogram of a column', () => {
  const bins = [
    { label: 'a', count: 1000 },
    { label: 'b', count: 1 },
    { label: 'c', count: 0 },
  ]
  const page = renderToStaticMarkup(<MiniBars bins={bins} label="3 values" />)
  expect([...page.matchAll(/ height="([^"]*)"/g)].map(([, height]) => height)).toEqual(['14', '1', '0'])
})
