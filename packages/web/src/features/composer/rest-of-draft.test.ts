import { expect, it } from 'vitest'
import { restOfDraft } from './rest-of-draft.ts'

it('leaves nothing of a draft that was sent, and all that was written meanwhile', () => {
  expect(restOfDraft('Fix it', 'Fix it')).toBe('')
  expect(restOfDraft('Fix it', 'Fix it\nand test it')).toBe('and test it')
  expect(restOfDraft('Fix it', 'Something else')).toBe('Something else')
})
