import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WaitingClock } from './waiting-clock.tsx'

it('counts the first ten seconds', () => {
  const since = new Date(Date.now() - 4500).toISOString()
  expect(renderToStaticMarkup(<WaitingClock since={since} />)).toMatch(/>[1-9]\d* (s|min)<\/span>$/)
})
