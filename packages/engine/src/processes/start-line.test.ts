import { expect, it } from 'vitest'
import { createStartLine } from './start-line.ts'

const never = new AbortController().signal

it('lets one start after the other, and those somebody waits for first', async () => {
  const line = createStartLine(1)
  const order: string[] = []
  const started = await line.enter('awaited', never)
  const ahead = line.enter('ahead', never).then(() => order.push('ahead'))
  const awaited = line.enter('awaited', never).then((done) => {
    order.push('awaited')
    done()
  })
  started()
  await Promise.all([ahead, awaited])
  expect(order).toEqual(['awaited', 'ahead'])
})

it('does not make whoever gave up wait, nor others wait for them', async () => {
  const line = createStartLine(1)
  const started = await line.enter('awaited', never)
  const gone = new AbortController()
  const given = line.enter('awaited', gone.signal)
  const next = line.enter('awaited', never)
  gone.abort()
  ;(await given)()
  started()
  const last = await next
  last()
  await line.enter('awaited', AbortSignal.abort())
  await line.enter('awaited', never)
})
