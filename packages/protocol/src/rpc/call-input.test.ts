import { expect, it } from 'vitest'
import { callInputOf } from './call-input.ts'

it('refuses an idempotency key where a repeated call is not recognised, and gives the reason', () => {
  const once = { idempotencyKey: 'once' }
  expect(callInputOf('key.revoke', { keyName: 'ana', ...once }).idempotencyKey).toBe('once')
  expect(() => callInputOf('key.create', { name: 'ana', ...once })).toThrow(
    'params.idempotencyKey: key.create takes no idempotency key: its reply contains a token that is shown once',
  )
  expect(() => callInputOf('key.list', once)).toThrow('key.list takes no idempotency key: it makes no change')
  expect(callInputOf('key.create', { name: 'ana' }).body).toEqual({ name: 'ana' })
})
