import { expect, it } from 'vitest'
import { nearestCall } from './nearest-call.ts'

const call = (command: string) => ({ toolInput: { command } })

it('finds the approved call that an altered one came from', () => {
  const calls = [call('rm -rf build'), call('npm test -- --watch')]
  expect(nearestCall(calls, call('npm test'))).toBe(calls[1])
  expect(nearestCall(calls, call('rm -rf dist'))).toBe(calls[0])
})

it('returns the earliest of equally near calls, and null for an empty list', () => {
  const calls = [call('a'), call('b')]
  expect(nearestCall(calls, call('c'))).toBe(calls[0])
  expect(nearestCall([], call('c'))).toBeNull()
})
