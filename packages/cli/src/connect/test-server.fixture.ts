// A real server on a real port in its own folder, and terminals in that folder.
import { readFile } from 'node:fs/promises'
import { dataFolders, silentLogger } from '@quarterdeck/engine'
import type { SessionId, SessionStatus } from '@quarterdeck/protocol'
import { type CompatListenerPlan, startServer } from '@quarterdeck/server'
import { expect, onTestFinished } from 'vitest'
import { dataFolder, runtimeOptions } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { agentText, type Script, sharedScripted, writeAgent } from './scripted-agent.fixture.ts'

export async function openTestServer(
  script: Script,
  agent = agentText,
  compatListeners: readonly CompatListenerPlan[] = [],
) {
  const { terminal } = await openTestTerminal({ piped: '', env: { ANTHROPIC_API_KEY: 'made-up-for-tests' } })
  const file = await writeAgent(terminal.cwd, agent)
  const server = await startServer({
    runtime: { ...runtimeOptions(terminal, {}, [file]), ...sharedScripted(script), logger: silentLogger },
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
  const { sessions } = server.runtime.engine
  return {
    close,
    url: server.url,
    sessions,
    token: async () => (await readFile(dataFolders(dataFolder(terminal, {})).token, 'utf8')).trim(),
    create: (message: string) => sessions.createSession({ agent: 'tester', message }, 'operator'),
    reaches: (sessionId: SessionId, status: SessionStatus) =>
      expect.poll(async () => (await sessions.getSession(sessionId)).session.status, { timeout: 60_000 }).toBe(status),
    /** A new pair of streams in the same folder. */
    openTerminal: (env: Readonly<Record<string, string>> = {}) =>
      openTestTerminal({ piped: '', cwd: terminal.cwd, env }),
  }
}
