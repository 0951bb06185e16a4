import { expect, it } from 'vitest'
import { createTurnPause } from './turn-pause.ts'

function openPause() {
  const heard: string[] = []
  let isWorking = false
  const timer = {
    pause: () => void heard.push('clock stops'),
    resume: () => void heard.push('clock goes'),
    limitTo: () => undefined,
    elapsedMs: () => 0,
    stop: () => undefined,
  }
  const place = {
    pause: () => void heard.push('place given'),
    resume: async () => void heard.push('place back'),
    leave: () => undefined,
  }
  const pause = createTurnPause({ current: () => ({ timer, place }), isWorking: () => isWorking })
  const work = (now: boolean) => {
    isWorking = now
    pause.review()
  }
  return { pause, heard, work }
}

const stopped = ['clock stops', 'place given']
const goneOn = ['place back', 'clock goes']

it('stands still while nothing but waiting happens', async () => {
  const { pause, heard } = openPause()
  pause.begin()
  expect(heard).toEqual(stopped)
  expect(pause.state()).toBe('waiting')
  pause.end()
  await pause.over()
  expect(heard).toEqual([...stopped, ...goneOn])
  expect(pause.state()).toBe('off')
})

it('goes on with the first of two answers, and stands still again when that one is done', async () => {
  const { pause, heard, work } = openPause()
  pause.begin()
  pause.begin()
  pause.end()
  work(true)
  await pause.over()
  expect(heard).toEqual([...stopped, ...goneOn])
  work(false)
  expect(heard).toEqual([...stopped, ...goneOn, ...stopped])
})

it('goes on beside an open question for as long as anything works', async () => {
  const { pause, heard, work } = openPause()
  work(true)
  pause.begin()
  expect(heard).toEqual([])
  expect(pause.state()).toBe('off')
  work(false)
  expect(heard).toEqual(stopped)
  work(true)
  await pause.over()
  expect(heard).toEqual([...stopped, ...goneOn])
})
