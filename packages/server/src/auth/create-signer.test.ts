import { expect, it } from 'vitest'
import { createSigner } from './create-signer.ts'

it('createSigner returns the same signature for the same text, and different ones otherwise', () => {
  const proof = createSigner('secret')('tool', 'ses_1')
  expect(createSigner('secret')('tool', 'ses_1')).toBe(proof)
  const others = [
    createSigner('secret')('tool', 'ses_2'),
    createSigner('secret')('other', 'ses_1'),
    createSigner('other')('tool', 'ses_1'),
  ]
  expect(new Set([proof, ...others]).size).toBe(4)
  expect(proof).not.toContain('secret')
})
