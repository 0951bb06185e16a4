import { expect, it } from 'vitest'
import { hasErrorCode } from './has-error-code.ts'

const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' })

it('is true for an error with one of the codes', () => {
  expect(hasErrorCode(missing, 'ENOENT')).toBe(true)
  expect(hasErrorCode(missing, 'ENOTDIR', 'ENOENT')).toBe(true)
})

it('is false for another code, and without codes', () => {
  expect(hasErrorCode(missing, 'EACCES')).toBe(false)
  expect(hasErrorCode(missing)).toBe(false)
})

it.each([
  ['an error without a code', new Error('ENOENT')],
  ['an error with a number as its code', Object.assign(new Error('no such file'), { code: -2 })],
  ['a thrown object that is not an error', { code: 'ENOENT' }],
  ['a thrown text', 'ENOENT'],
  ['nothing', undefined],
])('is false for %s', (_, thrown) => {
  expect(hasErrorCode(thrown, 'ENOENT', '-2')).toBe(false)
})
