import { expect, it } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { createClosers } from './closers.ts'

it('closes everything once in reverse order, and rejects with the first failure', async () => {
  const closers = createClosers(silentLogger)
  const closed: string[] = []
  closers.add(() => void closed.push('store'))
  closers.add(() => Promise.reject(new Error('the gateway hangs')))
  closers.add(() => {
    throw new Error('the webhooks hang')
  })
  closers.add(async () => closed.push('sessions'))
  await expect(closers.close()).rejects.toThrow('the webhooks hang')
  await closers.close()
  expect(closed).toEqual(['sessions', 'store'])
})
