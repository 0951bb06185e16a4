import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PrivacyBar } from './privacy-bar.tsx'

const sentence = (level: number): string => {
  const page = renderToStaticMarkup(
    <PrivacyBar level={level} sentBytes={2400} isFixed={false} onLevel={() => undefined} onSentLog={() => undefined} />,
  )
  expect(page.replaceAll(/<[^>]*>/g, '')).toContain('Sent to this server: 2.4 kB')
  return (/<span class="grow">(.*?)<\/span>/.exec(page)?.[1] ?? '').replaceAll(/<\/?b>/g, '')
}

it('describes an unknown level like level 0, which is what it sends', () => {
  expect(sentence(7)).toBe(sentence(0))
})

it('describes in one sentence per level what the model sees and never sees', () => {
  expect([0, 1, 2, 3].map(sentence)).toEqual([
    'The model sees column names, types and row counts. Never a value: no summary number and no row of your files.',
    'The model sees column names, types, summary numbers and the most frequent texts. Never a row of your files unless you allow it.',
    'The model sees summary numbers, 5 sample rows of each table and up to 50 rows of each step. Never the remaining rows of your files.',
    'The model sees summary numbers, 5 sample rows of each table and up to 200 rows of each step. Never a whole file, or columns marked “never send”.',
  ])
})
