import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { untilGivenUp } from './run-turn.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

it('does not retain past events', async () => {
  const seen: WeakRef<object>[] = []
  async function* items() {
    for (let index = 0; index < 100; index += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      yield { text: `${index}` }
    }
  }
  for await (const item of untilGivenUp(items(), new AbortController().signal)) {
    seen.push(new WeakRef(item))
    if (seen.length < 90) continue
    await new Promise((resolve) => setTimeout(resolve, 20))
    collectGarbage()
    break
  }
  expect(seen.filter((item) => item.deref() !== undefined).length).toBeLessThan(10)
})

it('abandons a backend that never answers, and passes on a failure of the backend', async () => {
  const giveUp = new AbortController()
  async function* silent() {
    yield 'one'
    await new Promise(() => undefined)
  }
  const received: string[] = []
  for await (const item of untilGivenUp(silent(), giveUp.signal)) {
    received.push(item)
    setImmediate(() => giveUp.abort())
  }
  expect(received).toEqual(['one'])
  const broken = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }) }
  await expect(untilGivenUp(broken, new AbortController().signal).next()).rejects.toThrow('broken')
})
