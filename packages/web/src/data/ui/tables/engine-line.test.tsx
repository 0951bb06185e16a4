import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { EngineLine } from './engine-line.tsx'

const words = (isLasting: boolean): string =>
  renderToStaticMarkup(
    <EngineLine
      engine={{ status: 'failed', progress: null, failure: null }}
      isLasting={isLasting}
      onStart={() => undefined}
    />,
  )

it('calls tables and analyses kept only where this browser keeps them', () => {
  expect(words(true)).toContain('Kept: your tables and analyses.')
  expect(words(false)).not.toContain('Kept')
})
