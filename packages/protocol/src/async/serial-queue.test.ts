import { expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

it('starts a task when the previous one has ended, and drops none', async () => {
  const runInOrder = createSerialQueue()
  const completed: string[] = []
  let end: () => void = () => undefined
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const all = [
    runInOrder(async () => {
      await isOver
      completed.push('first')
    }),
    runInOrder(async () => void completed.push('second')),
  ]
  await new Promise((resolve) => setTimeout(resolve))
  expect(completed).toEqual([])
  end()
  await Promise.all(all)
  expect(completed).toEqual(['first', 'second'])
})

it('continues after a failed task, and rejects only the promise of that task', async () => {
  const runInOrder = createSerialQueue()
  const failing = runInOrder(() => Promise.reject(new Error('refused')))
  const next = runInOrder(() => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('refused')
  expect(await next).toBe('done')
})
