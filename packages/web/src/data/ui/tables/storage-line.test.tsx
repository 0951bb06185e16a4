import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { StorageLine } from './storage-line.tsx'

const storage = { usedBytes: 1000, quotaBytes: 2_000_000, isPersistent: false }
const words = (isLasting: boolean | null): string =>
  renderToStaticMarkup(
    <StorageLine isLasting={isLasting} storage={storage} hasTables={true} onPersist={async () => true} />,
  ).replaceAll(/<[^>]*>/g, '')

it('says that tables stay if they are stored', () => {
  expect(words(true)).toContain('Stays in this browser')
  expect(words(true)).not.toContain('keeps nothing')
})

it('says that nothing is stored, and offers a retry', () => {
  expect(words(false)).toContain(
    'This browser stores nothing right now: tables and analyses are lost when you close this page.',
  )
  expect(words(false)).toContain('Reload the page')
  expect(words(false)).not.toMatch(/Stays in this browser|May be cleared/)
})

it('shows nothing before the state is known', () => {
  expect(words(null)).toBe('')
})
