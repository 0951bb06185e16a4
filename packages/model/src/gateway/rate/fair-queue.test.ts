import { expect, it } from 'vitest'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

function drain(queue: FairQueue<string>): readonly string[] {
  const gone: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    gone.push(item)
    queue.shift()
  }
  return gone
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

it('makes another owner wait for at most one turn, however many requests an owner has queued', () => {
  const queue = createFairQueue<string>()
  for (const name of names('a', 20)) queue.push({ owner: 'ana', sessionId: name }, name)
  queue.push({ owner: 'ben', sessionId: 'b' }, 'b1')
  expect(queue.list().indexOf('b1')).toBe(1)
  expect(drain(queue).indexOf('b1')).toBe(1)
})

it('alternates the sessions of one owner within the turns of that owner', () => {
  const queue = createFairQueue<string>()
  for (const name of names('flood', 3)) queue.push({ owner: 'ana', sessionId: 'one' }, name)
  queue.push({ owner: 'ana', sessionId: 'two' }, 'single')
  for (const name of names('b', 3)) queue.push({ owner: 'ben', sessionId: 'three' }, name)
  expect(drain(queue)).toEqual(['flood1', 'b1', 'single', 'b2', 'flood2', 'b3', 'flood3'])
})

it('puts a retry before the other requests of its owner, but not before other owners', () => {
  const queue = createFairQueue<string>()
  queue.push({ owner: 'ben', sessionId: 'b' }, 'b1')
  for (const name of names('a', 2)) queue.push({ owner: 'ana', sessionId: name }, name)
  queue.pushFirst({ owner: 'ana', sessionId: 'a2' }, 'again')
  expect(drain(queue)).toEqual(['b1', 'again', 'a1', 'a2'])
})

it('lists the remaining requests in order after others left', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 50; round += 1) {
    const queue = createFairQueue<string>()
    const queued = names('r', 30)
    for (const name of queued) {
      const turn = { owner: `o${random(4)}`, sessionId: `s${random(6)}` }
      if (random(5) === 0) queue.pushFirst(turn, name)
      else queue.push(turn, name)
      if (random(6) === 0) queue.shift()
    }
    for (const name of queued) if (random(4) === 0) queue.remove(name)
    const listed = queue.list()
    expect(drain(queue)).toEqual(listed)
  }
})
