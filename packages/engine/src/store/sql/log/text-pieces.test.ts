import { CompiledQuery } from 'kysely'
import { expect, it } from 'vitest'
import { createCountingIds, created, createHeldClock, sessionId } from '../../ports/contract/store-harness.contract.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { createStoreOn } from '../create-sql-store.ts'
import { openDatabase } from '../open-database.ts'

const [one, other] = [sessionId(1), sessionId(2)]

async function openStores() {
  const db = await openDatabase(':memory:')
  const open = () => createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  const store = open()
  await store.append(one, 0, [created()])
  await store.append(other, 0, [created()])
  return {
    store,
    /** Opens the same file as another process would. */
    open,
    async kept() {
      const { rows } = await db.executeQuery<{ pieces: string }>(CompiledQuery.raw('select pieces from text_pieces'))
      return rows.map(({ pieces }) => pieces).join('\n')
    },
  }
}

const begin = (store: EventStore, id = one, messageId = 'm') =>
  store.saveOpenText(id, {
    type: 'AgentStreamSnapshot',
    agent: null,
    data: { text: 'begun ', messageId, kind: 'text' },
  })

const piece = (text: string, id = one, messageId = 'm') => ({ sessionId: id, messageId, kind: 'text', text }) as const

it('keeps no piece of a dropped text, but those of texts begun before it', async () => {
  const { store, kept } = await openStores()
  await begin(store)
  await store.addToOpenTexts([piece('of the first')])
  await begin(store, other)
  await store.addToOpenTexts([piece('of the second', other), piece('once more')])
  await store.dropOpenText(other, 'm', 'text')
  expect(await kept()).toContain('of the first')
  await store.dropOpenText(one, 'm', 'text')
  expect(await kept()).toBe('')
  await store.close()
})

it('does not grow for a text that is saved as a whole from time to time', async () => {
  const { store, kept } = await openStores()
  for (let batch = 0; batch < 300; batch += 1) {
    if (batch % 40 === 0) await begin(store)
    await store.addToOpenTexts([piece(`piece ${batch} `)])
  }
  expect((await kept()).split('\n').length).toBeLessThan(100)
  expect((await store.openTexts(one))[0]?.data.text.startsWith('begun piece 280 piece 281 ')).toBe(true)
  await store.close()
})

it('removes the pieces of a deleted session and keeps those of others in the same row', async () => {
  const { store, kept } = await openStores()
  await begin(store)
  await begin(store, other)
  await store.addToOpenTexts([piece('gone'), piece('stays', other)])
  await store.remove(one, 'ada')
  expect(await kept()).not.toContain('gone')
  expect((await store.openTexts(other))[0]?.data.text).toBe('begun stays')
  await store.close()
})

it('keeps the pieces of another writer while its text is open', async () => {
  const { store, open, kept } = await openStores()
  await begin(store)
  await store.addToOpenTexts([piece('of one who died')])
  const next = open()
  await begin(next, other)
  await next.addToOpenTexts([piece('mine', other)])
  await next.dropOpenText(other, 'm', 'text')
  expect((await next.openTexts(one))[0]?.data.text).toBe('begun of one who died')
  await next.dropOpenText(one, 'm', 'text')
  const third = open()
  await begin(third, other)
  await third.addToOpenTexts([piece('later', other)])
  await third.dropOpenText(other, 'm', 'text')
  expect(await kept()).toBe('')
  await store.close()
})
