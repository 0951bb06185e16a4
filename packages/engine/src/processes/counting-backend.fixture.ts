// A scripted backend that counts its processes and their highest number at once.
import type { AgentBackend, AgentSession, ProcessLoad, SessionOptions } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script } from '../backends/scripted/script.ts'

export function createCountingBackend(script: Script, load?: () => ProcessLoad) {
  const scripted = createScriptedBackend({ script })
  const opened: SessionOptions[] = []
  /** Sessions that were warmed before their first turn. */
  const warmed: string[] = []
  let now = 0
  let most = 0

  async function createSession(options: SessionOptions): Promise<AgentSession> {
    const session = await scripted.createSession(options)
    opened.push(options)
    now += 1
    most = Math.max(most, now)
    let isOpen = true
    return {
      ...session,
      ...(load === undefined ? {} : { load }),
      async warm() {
        warmed.push(options.sessionId)
        await session.warm()
      },
      async close() {
        await session.close()
        if (isOpen) now -= 1
        isOpen = false
      },
    }
  }

  const backend: AgentBackend = { ...scripted, createSession }
  return { backend, opened, warmed, now: () => now, most: () => most }
}
