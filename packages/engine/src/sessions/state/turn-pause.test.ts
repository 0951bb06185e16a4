import { expect, it } from 'vitest'
import { createTurnPause } from './turn-pause.ts'

function openPause() {
  const received: string[] = []
  let isWorking = false
  const timer = {
    pause: () => void received.push('clock stops'),
    resume: () => void received.push('clock goes'),
    limitTo: () => undefined,
    elapsedMs: () => 0,
    stop: () => undefined,
  }
  const turnSlot = {
    pause: () => void received.push('place given'),
    resume: async () => void received.push('place back'),
    leave: () => undefined,
  }
  const pause = createTurnPause({ current: () => ({ timer, turnSlot }), isWorking: () => isWorking })
  const work = (now: boolean) => {
    isWorking = now
    pause.review()
  }
  return { pause, received, work }
}

const stopped = ['clock stops', 'place given']
const goneOn = ['place back', 'clock goes']

it('stands still while nothing but waiting happens', async () => {
  const { pause, received } = openPause()
  pause.begin()
  expect(received).toEqual(stopped)
  expect(pause.state()).toBe('waiting')
  pause.end()
  await pause.over()
  expect(received).toEqual([...stopped, ...goneOn])
  expect(pause.state()).toBe('off')
})

it('goes on with the first of two answers, and stands still again when that one is done', async () => {
  const { pause, received, work } = openPause()
  pause.begin()
  pause.begin()
  pause.end()
  work(true)
  await pause.over()
  expect(received).toEqual([...stopped, ...goneOn])
  work(false)
  expect(received).toEqual([...stopped, ...goneOn, ...stopped])
})

it('goes on beside an open question for as long as anything works', async () => {
  const { pause, received, work } = openPause()
  work(true)
  pause.begin()
  expect(received).toEqual([])
  expect(pause.state()).toBe('off')
  work(false)
  expect(received).toEqual(stopped)
  work(true)
  await pause.over()
  expect(received).toEqual([...stopped, ...goneOn])
})
