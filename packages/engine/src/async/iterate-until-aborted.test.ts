import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { neverAborted } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { iterateUntilAborted } from './iterate-until-aborted.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

it('does not retain past items', async () => {
  const seen: WeakRef<object>[] = []
  async function* items() {
    for (let index = 0; index < 100; index += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      yield { text: `${index}` }
    }
  }
  for await (const item of iterateUntilAborted(items(), neverAborted())) {
    seen.push(new WeakRef(item))
    if (seen.length < 90) continue
    await new Promise((resolve) => setTimeout(resolve, 20))
    collectGarbage()
    break
  }
  expect(seen.filter((item) => item.deref() !== undefined).length).toBeLessThan(10)
})

it('abandons a source that never answers, and passes on a failure of the source', async () => {
  const abort = new AbortController()
  async function* silent() {
    yield 'one'
    await new Promise(() => undefined)
  }
  const received: string[] = []
  for await (const item of iterateUntilAborted(silent(), abort.signal)) {
    received.push(item)
    setImmediate(() => abort.abort())
  }
  expect(received).toEqual(['one'])
  const broken = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }) }
  await expect(iterateUntilAborted(broken, neverAborted()).next()).rejects.toThrow('broken')
})
