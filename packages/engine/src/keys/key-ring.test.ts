import { expect, it } from 'vitest'
import { randomIds } from '../random-ids.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'
import { createKeyRing } from './key-ring.ts'

const ring = () => {
  const store = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  return { store, keys: createKeyRing(store, randomIds) }
}

it('knows whose token it is, and nobody by another one', async () => {
  const { keys } = ring()
  const ana = await keys.create('ana', 'operator')
  const ben = await keys.create('ben', 'operator')
  expect(await keys.find(ana)).toMatchObject({ name: 'ana' })
  expect(await keys.find(ben)).toMatchObject({ name: 'ben' })
  expect(await keys.find(`${ana}x`)).toBeNull()
})

it('keeps no token', async () => {
  const { store, keys } = ring()
  const token = await keys.create('ana', 'operator')
  expect(JSON.stringify([await store.listKeys(), await store.readAudit(0, 100)])).not.toContain(token)
})

it('forgets a revoked one', async () => {
  const { keys } = ring()
  const token = await keys.create('ana', 'operator')
  await keys.create('ben', 'operator')
  await keys.revoke('ana', 'operator')
  expect(await keys.find(token)).toBeNull()
  expect(await keys.list()).toMatchObject([
    { name: 'ana', revokedAt: expect.any(String) },
    { name: 'ben', revokedAt: null },
  ])
  for (const name of ['ana', 'nobody']) {
    await expect(keys.revoke(name, 'operator')).rejects.toMatchObject({ code: 'key.not-found' })
  }
})

it('refuses a name twice, names of its own, and what is no name', async () => {
  const { keys } = ring()
  await keys.create('ana', 'operator')
  await expect(keys.create('ana', 'operator')).rejects.toMatchObject({ code: 'key.exists' })
  for (const name of ['operator', 'Clock']) {
    await expect(keys.create(name, 'operator')).rejects.toMatchObject({ code: 'key.exists' })
  }
  for (const name of ['', '1st', 'a b', 'a\nb', 'x'.repeat(65), `sk-ant-${'x'.repeat(20)}`]) {
    await expect(keys.create(name, 'operator')).rejects.toMatchObject({ code: 'request.invalid' })
  }
})
