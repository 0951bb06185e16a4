import { expect, it } from 'vitest'
import { createStartQueue } from './start-queue.ts'

const never = new AbortController().signal

it('starts one process at a time, awaited ones first', async () => {
  const startQueue = createStartQueue(1)
  const order: string[] = []
  const started = await startQueue.enter('awaited', never)
  const ahead = startQueue.enter('ahead', never).then(() => order.push('ahead'))
  const awaited = startQueue.enter('awaited', never).then((done) => {
    order.push('awaited')
    done()
  })
  started()
  await Promise.all([ahead, awaited])
  expect(order).toEqual(['awaited', 'ahead'])
})

it('skips entries whose signal has aborted', async () => {
  const startQueue = createStartQueue(1)
  const started = await startQueue.enter('awaited', never)
  const gone = new AbortController()
  const given = startQueue.enter('awaited', gone.signal)
  const next = startQueue.enter('awaited', never)
  gone.abort()
  ;(await given)()
  started()
  const last = await next
  last()
  await startQueue.enter('awaited', AbortSignal.abort())
  await startQueue.enter('awaited', never)
})
