import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Bars } from './bars.tsx'

it('keeps rare values visible in a histogram', () => {
  const bins = [
    { label: 'a', count: 1000 },
    { label: 'b', count: 1 },
    { label: 'c', count: 0 },
  ]
  const page = renderToStaticMarkup(<Bars bins={bins} size={{ width: 48, height: 14 }} label="3 values" />)
  expect([...page.matchAll(/ height="([^"]*)"/g)].map(([, height]) => height)).toEqual(['14', '1', '0'])
})
