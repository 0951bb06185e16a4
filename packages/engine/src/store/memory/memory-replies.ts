import type { Clock } from '../../ports/clock.ts'
import type { EventStore, StoredReply } from '../ports/event-store.ts'
import { repliesExpireAt } from '../sql/log/reply-expiry.ts'

export function createMemoryReplies(clock: Clock): Pick<EventStore, 'findReply' | 'saveReply'> {
  const kept = new Map<string, { readonly reply: StoredReply; readonly savedAt: string }>()
  const keyOf = (principal: string, key: string) => JSON.stringify([principal, key])

  function dropExpired(): void {
    const expireAt = repliesExpireAt(clock.now())
    for (const [key, { savedAt }] of kept) if (savedAt <= expireAt) kept.delete(key)
  }

  return {
    async findReply(principal, key) {
      dropExpired()
      return kept.get(keyOf(principal, key))?.reply ?? null
    },
    async saveReply(principal, key, reply) {
      dropExpired()
      const place = keyOf(principal, key)
      if (!kept.has(place)) kept.set(place, { reply, savedAt: clock.now().toISOString() })
    },
  }
}
