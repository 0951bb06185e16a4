// A session as its tail and as its exported document.
import type { SessionId, SessionStatus } from '@quarterdeck/protocol'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { exportSession } from './export-session.ts'
import { tailSession } from './tail-session.ts'

type TestServer = Awaited<ReturnType<typeof openTestServer>>

/** Opens a server with one session and waits for its status. */
export async function openSessionAt(script: Parameters<typeof openTestServer>[0], status: SessionStatus) {
  const testServer = await openTestServer(script)
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester', message: 'please\ngo' }, 'ana')
  await testServer.reaches(sessionId, status)
  return { testServer, sessionId }
}

export async function exportMarkdown(testServer: TestServer, id: SessionId): Promise<string> {
  const { terminal, stdout } = await testServer.openTerminal()
  await exportSession(terminal, { id, flags: { format: 'markdown' } })
  return stdout()
}

export async function closeAndTail(testServer: TestServer, sessionId: SessionId): Promise<string> {
  await testServer.sessions.close(sessionId, 'operator')
  const { terminal, stdout } = await testServer.openTerminal()
  await tailSession(terminal, { id: sessionId, flags: {} })
  return stdout()
}
