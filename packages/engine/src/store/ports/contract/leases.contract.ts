import { describe, expect, it } from 'vitest'
import type { Holder } from '../event-store.ts'
import { created, type OpenStore, sessionId, thought, withStore } from './store-harness.contract.ts'

const one = sessionId(1)
const other = sessionId(2)
const alive = () => true
const dead = () => false
const held = { code: 'session.held-elsewhere' }

const server = (id: string): Holder => ({
  id,
  role: 'server',
  pid: 4100,
  startTime: '12345',
  address: 'http://127.0.0.1:4300',
})
const command = (id: string): Holder => ({ ...server(id), role: 'command', address: null })

export function describeServersAndLeases(open: OpenStore): void {
  describe('the data folder', () => describeRegister(open))
  describe('leases', () => describeLeases(open))
  describe('fencing', () => describeFencing(open))
}

function describeRegister(open: OpenStore): void {
  it('refuses a second running server with the address of the first and a remedy', () =>
    withStore(open, async ({ store }) => {
      await store.register(server('a'), alive)
      const refusal = store.register(server('b'), alive)
      await expect(refusal).rejects.toMatchObject({ code: 'store.held', facts: { address: 'http://127.0.0.1:4300' } })
      await expect(refusal).rejects.toThrow(/127\.0\.0\.1:4300.*stop it.*--data/)
    }))

  it('lets a server replace a dead one and releases its sessions', () =>
    withStore(open, async ({ store }) => {
      await store.register(server('a'), alive)
      await store.lease(one, server('a'), alive)
      await store.register(server('b'), (holder) => holder.id !== 'a')
      expect(await store.holderOf(one)).toBeNull()
      await expect(store.register(server('c'), alive)).rejects.toMatchObject({ code: 'store.held' })
    }))

  it('lets commands run alongside a server, and a server start after commands', () =>
    withStore(open, async ({ store }) => {
      await store.register(command('a'), alive)
      await store.register(server('b'), alive)
      await store.register(command('c'), alive)
      await expect(store.register(server('d'), alive)).rejects.toMatchObject({ code: 'store.held' })
    }))

  it('lets a server announce itself again, for example with its address', () =>
    withStore(open, async ({ store }) => {
      await store.register({ ...server('a'), address: null }, alive)
      await store.register(server('a'), alive)
      await expect(store.register(server('b'), alive)).rejects.toThrow('http://127.0.0.1:4300')
    }))

  it('is free again after the server has stopped', () =>
    withStore(open, async ({ store }) => {
      await store.register(server('a'), alive)
      await store.lease(one, server('a'), alive)
      await store.unregister(server('a'))
      expect(await store.holderOf(one)).toBeNull()
      await store.register(server('b'), alive)
    }))

  it('accepts one of two servers that start together', () =>
    withStore(open, async ({ store }) => {
      const starts = ['a', 'b', 'c'].map((id) => store.register(server(id), alive))
      const results = await Promise.allSettled(starts)
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    }))
}

function describeLeases(open: OpenStore): void {
  it('return the same number to the current holder', () =>
    withStore(open, async ({ store }) => {
      const number = await store.lease(one, server('a'), alive)
      expect(await store.lease(one, server('a'), alive)).toBe(number)
      expect(await store.holderOf(one)).toEqual(server('a'))
      expect(await store.holderOf(other)).toBeNull()
    }))

  it('refuse another holder while the first is alive', () =>
    withStore(open, async ({ store }) => {
      await store.lease(one, server('a'), alive)
      const refusal = store.lease(one, command('b'), alive)
      await expect(refusal).rejects.toMatchObject({ ...held, facts: { address: 'http://127.0.0.1:4300' } })
      expect(await store.holderOf(one)).toEqual(server('a'))
      await store.lease(other, command('b'), alive)
    }))

  it('pass a dead holder’s session on with a higher number', () =>
    withStore(open, async ({ store }) => {
      const first = await store.lease(one, server('a'), alive)
      const second = await store.lease(one, command('b'), dead)
      expect(second).toBeGreaterThan(first)
      expect(await store.holderOf(one)).toEqual(command('b'))
      await store.release(one, server('a'))
      expect(await store.holderOf(one)).toEqual(command('b'))
    }))

  it('never return a number twice, whatever happened in between', () =>
    withStore(open, async ({ store, reopen }) => {
      const numbers = [await store.lease(one, server('a'), alive)]
      await store.release(one, server('a'))
      numbers.push(await store.lease(one, server('a'), alive))
      await store.unregister(server('a'))
      const now = (await reopen?.()) ?? store
      numbers.push(await now.lease(one, command('b'), alive), await now.lease(one, command('c'), dead))
      expect(numbers).toEqual([...new Set(numbers)].sort((low, high) => low - high))
      expect(numbers).toHaveLength(4)
    }))

  it('accept one of several concurrent holders', () =>
    withStore(open, async ({ store }) => {
      const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => store.lease(one, command(id), alive)))
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
      expect(results.filter((result) => result.status === 'rejected')).toHaveLength(2)
    }))
}

function describeFencing(open: OpenStore): void {
  const conflict = { code: 'store.conflict' }

  it('refuses a holder that lost its session, even if no other has written since', () =>
    withStore(open, async ({ store }) => {
      const first = await store.lease(one, server('a'), alive)
      await store.append(one, 0, [created()], { fencing: first })
      const second = await store.lease(one, command('b'), dead)
      const late = store.append(one, 1, [thought('late')], { fencing: first })
      await expect(late).rejects.toMatchObject({ ...conflict, facts: { fencing: first, current: second } })
      expect(await store.read(one, 1, 10)).toEqual([])
      expect(await store.append(one, 1, [thought('on time')], { fencing: second })).toHaveLength(1)
      await expect(store.append(one, 1, [thought('seen too little')], { fencing: second })).rejects.toMatchObject(
        conflict,
      )
    }))

  it('lets a holder that released its session finish until another takes it', () =>
    withStore(open, async ({ store }) => {
      const first = await store.lease(one, server('a'), alive)
      await store.append(one, 0, [created()], { fencing: first })
      await store.release(one, server('a'))
      expect(await store.append(one, 1, [thought('the last word')], { fencing: first })).toHaveLength(1)
      await store.lease(one, command('b'), alive)
      await expect(store.append(one, 2, [thought('late')], { fencing: first })).rejects.toMatchObject(conflict)
      expect(await store.append(one, 2, [thought('without a number')])).toHaveLength(1)
    }))

  it('keeps a holder that lost a session from creating it', () =>
    withStore(open, async ({ store }) => {
      const first = await store.lease(one, server('a'), alive)
      await store.lease(one, command('b'), dead)
      await expect(store.append(one, 0, [created()], { fencing: first })).rejects.toMatchObject(conflict)
      expect(await store.load(one)).toBeNull()
    }))
}
