import { expect, it } from 'vitest'
import { unsentDraft } from './unsent-draft.ts'

it('leaves nothing of a draft that was sent, and all that was written meanwhile', () => {
  expect(unsentDraft('Fix it', 'Fix it')).toBe('')
  expect(unsentDraft('Fix it', 'Fix it\nand test it')).toBe('and test it')
  expect(unsentDraft('Fix it', 'Something else')).toBe('Something else')
})
