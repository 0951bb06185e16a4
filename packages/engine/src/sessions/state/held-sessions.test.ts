import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createHeldSessions } from './held-sessions.ts'
import type { RunningSession } from './running-session.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const running = (sessionId: SessionId) => ({ writer: { sessionId } }) as unknown as RunningSession // only its id matters

it('forgets an unused session, and keeps a retained one', async () => {
  const held = createHeldSessions()
  const [resting, working] = ['ses_resting' as SessionId, 'ses_working' as SessionId]
  await held.get(resting, async () => running(resting))
  held.keep(await held.get(working, async () => running(working)))
  const isRemembered = () => {
    collectGarbage()
    return held.has(resting)
  }
  await expect.poll(isRemembered, { timeout: 60_000 }).toBe(false)
  expect(held.has(working)).toBe(true)
  expect(held.peek(working)?.writer.sessionId).toBe(working)
})
