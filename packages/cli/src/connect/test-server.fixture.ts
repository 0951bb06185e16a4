// A real server on a real port in its own folder, and terminals in that folder.
import { createScriptedBackend, silentLogger } from '@quarterdeck/engine'
import { type CompatListenerPlan, startServer } from '@quarterdeck/server'
import { onTestFinished } from 'vitest'
import { runtimeOptions } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { agentText, type Script, writeAgent } from './scripted-agent.fixture.ts'

export async function openTestServer(
  script: Script,
  agent = agentText,
  compatListeners: readonly CompatListenerPlan[] = [],
) {
  const { terminal } = await openTestTerminal({ piped: '', env: { ANTHROPIC_API_KEY: 'made-up-for-tests' } })
  const file = await writeAgent(terminal.cwd, agent)
  // One backend for all versions of the agent file: it keeps the conversations, as the real one does on disk. Closing
  // an old version must not close the sessions of the next.
  const backend = createScriptedBackend({ script })
  const server = await startServer({
    runtime: {
      ...runtimeOptions(terminal, {}, [file]),
      logger: silentLogger,
      createBackend: () => ({ ...backend, teardown: async () => undefined }),
    },
    host: '127.0.0.1',
    port: 0,
    compatListeners,
  })
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= server.close()
    return closing
  }
  onTestFinished(close)
  return {
    close,
    url: server.url,
    sessions: server.runtime.engine.sessions,
    /** A new pair of streams in the same folder. */
    openTerminal: (env: Readonly<Record<string, string>> = {}) =>
      openTestTerminal({ piped: '', cwd: terminal.cwd, env }),
  }
}
