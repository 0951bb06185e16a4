import { describe, expect, it } from 'vitest'
import { type OpenStore, withStore } from './world.contract.ts'

const at = '2026-05-04T10:00:00.000Z'

export function describeKeys(open: OpenStore): void {
  describe('keys', () => {
    it('finds a key by the hash of its token, also after it was revoked', () =>
      withStore(open, async ({ store, clock, reopen }) => {
        const made = await store.createKey({ id: 'key_1', name: 'ci', hash: 'h1' }, 'ada')
        clock.advance(1000)
        await store.createKey({ id: 'key_2', name: 'phone', hash: 'h2' }, 'ada')
        expect(made).toEqual({ id: 'key_1', name: 'ci', createdAt: at, revokedAt: null })
        const now = (await reopen?.()) ?? store
        expect(await now.findKey('h1')).toEqual(made)
        expect(await now.findKey('h3')).toBeNull()
        expect(await now.revokeKey('ci', 'bob')).toBe(true)
        expect(await now.revokeKey('ci', 'bob')).toBe(false)
        expect(await now.revokeKey('nobody', 'bob')).toBe(false)
        expect(await now.findKey('h1')).toEqual({ ...made, revokedAt: '2026-05-04T10:00:01.000Z' })
        expect((await now.listKeys()).map((key) => key.name)).toEqual(['ci', 'phone'])
        const told = (await now.readAudit(0, 10)).map(({ principal, action, subject }) => [principal, action, subject])
        expect(told).toEqual([
          ['ada', 'key.created', 'ci'],
          ['ada', 'key.created', 'phone'],
          ['bob', 'key.revoked', 'ci'],
        ])
      }))

    it('refuses a name that is or was in use', () =>
      withStore(open, async ({ store }) => {
        await store.createKey({ id: 'key_1', name: 'ci', hash: 'h1' }, 'ada')
        await store.revokeKey('ci', 'ada')
        const again = store.createKey({ id: 'key_2', name: 'ci', hash: 'h2' }, 'ada')
        await expect(again).rejects.toMatchObject({ code: 'key.exists' })
        expect(await store.findKey('h2')).toBeNull()
        expect(await store.readAudit(0, 10)).toHaveLength(2)
      }))
  })
}
