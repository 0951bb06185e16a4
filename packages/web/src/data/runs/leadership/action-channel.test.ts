import { expect, it, onTestFinished } from 'vitest'
import { openActionChannel } from './action-channel.ts'
import type { ActionOutcome, AnalysisAction } from './analysis-action.ts'

let last = 0
let names = 0
const newId = () => `act-${++last}`

/** Tabs of one analysis. */
function openTabs(count: number, againMs = 5) {
  names += 1
  return Array.from({ length: count }, () => {
    const channel = openActionChannel(new BroadcastChannel(`tabs-${names}`), { newId, againMs })
    onTestFinished(channel.close)
    return channel
  })
}

const cancel: AnalysisAction = { type: 'cancel' }
const done: ActionOutcome = { kind: 'done' }

it('performs an action once in the leading tab, even if it is sent repeatedly', async () => {
  const [leader, mirror] = openTabs(2)
  const performed: string[] = []
  leader?.serve(async (_, id) => {
    performed.push(id)
    await new Promise((resolve) => setTimeout(resolve, 40))
    return { kind: 'refused', code: 'session.busy', message: 'not now' }
  })
  expect(await mirror?.send(cancel)).toMatchObject({ code: 'session.busy' })
  expect(performed).toHaveLength(1)
})

it('leaves actions to the next tab while one is leaving', async () => {
  const [leaving, next, mirror] = openTabs(3)
  leaving?.serve(async () => ({ kind: 'refused', code: 'session.busy', message: 'not any more' }))
  leaving?.serve(null)
  const sent = mirror?.send(cancel)
  await new Promise((resolve) => setTimeout(resolve, 20))
  next?.serve(async () => done)
  expect(await sent).toEqual(done)
})

it('waits for a leading tab, or performs the action when it becomes the lead', async () => {
  const [leader, mirror] = openTabs(2)
  const sent = mirror?.send(cancel)
  await new Promise((resolve) => setTimeout(resolve, 20))
  leader?.serve(async () => done)
  expect(await sent).toEqual(done)
  const [alone] = openTabs(1)
  const own = alone?.send(cancel)
  alone?.serve(async () => done)
  expect(await own).toEqual(done)
})
