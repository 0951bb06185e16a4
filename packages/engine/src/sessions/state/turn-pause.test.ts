import { expect, it } from 'vitest'
import { createTurnPause } from './turn-pause.ts'

function openPause() {
  const received: string[] = []
  let isWorking = false
  const timer = {
    pause: () => void received.push('timer pauses'),
    resume: () => void received.push('timer resumes'),
    limitTo: () => undefined,
    elapsedMs: () => 0,
    stop: () => undefined,
  }
  const turnSlot = {
    pause: () => void received.push('slot released'),
    resume: async () => void received.push('slot taken'),
    leave: () => undefined,
  }
  const pause = createTurnPause({ current: () => ({ timer, turnSlot }), isWorking: () => isWorking })
  const work = (now: boolean) => {
    isWorking = now
    pause.review()
  }
  return { pause, received, work }
}

const stopped = ['timer pauses', 'slot released']
const continued = ['slot taken', 'timer resumes']

it('stops the timer and frees the slot while the turn only waits', async () => {
  const { pause, received } = openPause()
  pause.begin()
  expect(received).toEqual(stopped)
  expect(pause.state()).toBe('waiting')
  pause.end()
  await pause.over()
  expect(received).toEqual([...stopped, ...continued])
  expect(pause.state()).toBe('off')
})

it('continues with the first of two answers, and stops again when that one is done', async () => {
  const { pause, received, work } = openPause()
  pause.begin()
  pause.begin()
  pause.end()
  work(true)
  await pause.over()
  expect(received).toEqual([...stopped, ...continued])
  work(false)
  expect(received).toEqual([...stopped, ...continued, ...stopped])
})

it('continues beside an open question for as long as anything works', async () => {
  const { pause, received, work } = openPause()
  work(true)
  pause.begin()
  expect(received).toEqual([])
  expect(pause.state()).toBe('off')
  work(false)
  expect(received).toEqual(stopped)
  work(true)
  await pause.over()
  expect(received).toEqual([...stopped, ...continued])
})
