import { expect, it } from 'vitest'
import { nearestCall } from './nearest-call.ts'

const call = (command: string) => ({ toolInput: { command } })

it('finds the approved call that an altered one stands for', () => {
  const calls = [call('rm -rf build'), call('npm test -- --watch')]
  expect(nearestCall(calls, call('npm test'))).toBe(calls[1])
  expect(nearestCall(calls, call('rm -rf dist'))).toBe(calls[0])
})

it('takes the earliest of those that are equally near, and none of none', () => {
  const calls = [call('a'), call('b')]
  expect(nearestCall(calls, call('c'))).toBe(calls[0])
  expect(nearestCall([], call('c'))).toBeNull()
})
