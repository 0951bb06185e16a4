import { expect, it } from 'vitest'
import { unsentDraft } from './composer.tsx'

it('unsentDraft returns only the text written after sending', () => {
  expect(unsentDraft('Fix it', 'Fix it')).toBe('')
  expect(unsentDraft('Fix it', 'Fix it\nand test it')).toBe('and test it')
  expect(unsentDraft('Fix it', 'Something else')).toBe('Something else')
})
