import { expect, it } from 'vitest'
import { namedPicture } from './named-picture.ts'

it('says what a picture shows, word for word, whatever signs the words have', () => {
  expect(namedPicture('<svg width="1"><g/></svg>', `Price in $' & $& "net" <b>`)).toBe(
    '<svg role="img" aria-label="Price in $&#39; &amp; $&amp; &quot;net&quot; &lt;b&gt;" width="1"><g/></svg>',
  )
})
