import { expect, it } from 'vitest'
import { createTaskLine } from './task-line.ts'

it('begins a task when the one before it has ended, and drops none that came meanwhile', async () => {
  const inLine = createTaskLine()
  const told: string[] = []
  let end: () => void = () => undefined
  const isOver = new Promise<void>((resolve) => {
    end = resolve
  })
  const all = [
    inLine(async () => {
      await isOver
      told.push('first')
    }),
    inLine(async () => void told.push('second')),
  ]
  await new Promise((resolve) => setTimeout(resolve))
  expect(told).toEqual([])
  end()
  await Promise.all(all)
  expect(told).toEqual(['first', 'second'])
})

it('goes on after a task that failed, and tells only whoever gave it', async () => {
  const inLine = createTaskLine()
  const failing = inLine(() => Promise.reject(new Error('refused')))
  const next = inLine(() => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('refused')
  expect(await next).toBe('done')
})
