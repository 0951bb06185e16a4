import { expect, it } from 'vitest'
import { namedPicture } from './build-report.ts'

it('describes the picture and escapes special characters in the description', () => {
  expect(namedPicture('<svg width="1"><g/></svg>', `Price in $' & $& "net" <b>`)).toBe(
    '<svg role="img" aria-label="Price in $&#39; &amp; $&amp; &quot;net&quot; &lt;b&gt;" width="1"><g/></svg>',
  )
})
