import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { StorageLine } from './storage-line.tsx'

const storage = { usedBytes: 1000, quotaBytes: 2_000_000, isPersistent: false }
const words = (isLasting: boolean | null): string =>
  renderToStaticMarkup(
    <StorageLine isLasting={isLasting} storage={storage} hasTables={true} onPersist={async () => true} />,
  ).replaceAll(/<[^>]*>/g, '')

it('says that tables stay where they do', () => {
  expect(words(true)).toContain('Stays in this browser')
  expect(words(true)).not.toContain('keeps nothing')
})

it('says that nothing is kept where that is so, and offers another try', () => {
  expect(words(false)).toContain(
    'This browser keeps nothing right now: tables and analyses go when you leave this page.',
  )
  expect(words(false)).toContain('Reload the page')
  expect(words(false)).not.toMatch(/Stays in this browser|May be cleared/)
})

it('says nothing of it before it is known', () => {
  expect(words(null)).toBe('')
})
