// A real server on a real port in its own folder, and terminals in that folder.
import { silentLogger } from '@quarterdeck/engine'
import { type CompatListenerPlan, startServer } from '@quarterdeck/server'
import { onTestFinished } from 'vitest'
import { runtimeOptions } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { agentText, type Script, scriptedOnce, writeAgent } from './scripted-agent.fixture.ts'

export async function openTestServer(
  script: Script,
  agent = agentText,
  compatListeners: readonly CompatListenerPlan[] = [],
) {
  const { terminal } = await openTestTerminal({ piped: '', env: { ANTHROPIC_API_KEY: 'made-up-for-tests' } })
  const file = await writeAgent(terminal.cwd, agent)
  const server = await startServer({
    runtime: { ...runtimeOptions(terminal, {}, [file]), ...scriptedOnce(script), logger: silentLogger },
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
