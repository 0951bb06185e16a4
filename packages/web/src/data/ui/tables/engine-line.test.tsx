import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { EngineLine } from './engine-line.tsx'

const words = (isLasting: boolean): string =>
  renderToStaticMarkup(
    <EngineLine
      engine={{ status: 'failed', progress: null, failure: null }}
      isLasting={isLasting}
      onStart={async () => undefined}
    />,
  )

it('says that tables and analyses are safe only if this browser stores them', () => {
  expect(words(true)).toContain('Saved: your tables and analyses.')
  expect(words(false)).not.toContain('Saved')
})
