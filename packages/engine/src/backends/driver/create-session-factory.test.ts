import { describe, expect, it } from 'vitest'
import type { SessionOptions } from '../backend.ts'

import { createSessionFactory } from './create-session-factory.ts'
import type { TurnDriver } from './turn-driver.ts'
import { emptyTurn, endTurn } from './turn-record.ts'

const session = {} as SessionOptions // not read in this test

function factory(prepare: () => Promise<void> = async () => {}) {
  const closed: number[] = []
  let opened = 0
  const openDriver = async (): Promise<TurnDriver> => {
    const number = opened++
    return {
      async *turn() {
        yield endTurn(emptyTurn, { outcome: 'completed', durationMs: 0 })
      },
      interrupt: async () => {},
      setModel: async () => {},
      setPermissionMode: async () => {},
      close: async () => void closed.push(number),
    }
  }
  return { closed, ...createSessionFactory({ agent: { tools: [], turnTimeoutMs: null }, prepare, openDriver }) }
}

describe('createSessionFactory', () => {
  it('prepares once for all sessions, and again only after a failure', async () => {
    let prepared = 0
    const { initialize, createSession } = factory(async () => {
      prepared += 1
      if (prepared === 1) throw new Error('the disk is full')
    })
    await expect(initialize()).rejects.toThrow('the disk is full')
    await Promise.all([initialize(), createSession(session), createSession(session)])
    expect(prepared).toBe(2)
  })

  it('closes every open session once at teardown', async () => {
    const { closed, createSession, teardown } = factory()
    const [first] = await Promise.all([createSession(session), createSession(session)])
    await first.close()
    expect(closed).toEqual([0])
    await teardown()
    expect(closed).toEqual([0, 1])
  })
})
