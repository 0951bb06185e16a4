// Tested with a real server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentText, bash, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { createKey } from '../keys/keys.ts'
import { approve } from './approve.ts'

const wait = { timeout: 60_000 }

/** A proxy in front of a server that refuses every POST after the first. */
async function openFailingProxy(address: string): Promise<string> {
  let posts = 0
  const proxy = createServer(async (request, response) => {
    if (request.method === 'POST') posts += 1
    if (posts > 1) return void response.writeHead(400).end()
    const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
    const body = request.method === 'POST' ? await text(request) : null
    const answer = await fetch(`${address}${request.url}`, { method: request.method ?? 'GET', headers, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` // listening on a port, so it is an object
}

describe('quarterdeck sessions approve', () => {
  it('decides the only open approval, and the log names the key', async () => {
    const testServer = await openTestServer([[bash('ls'), say('done')]])
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'waiting_approval')
    const made = await testServer.openTerminal()
    await createKey(made.terminal, { name: 'ana', flags: { owner: 'operator' } })
    const { terminal, stdout } = await testServer.openTerminal({ QUARTERDECK_TOKEN: made.stdout().trim() })
    expect(await approve(terminal, { what: sessionId, flags: { note: 'fine' } })).toBe(0)
    expect(stdout()).toBe('allowed Bash ls\n')
    await testServer.reaches(sessionId, 'idle')
    const { session } = await testServer.sessions.getSession(sessionId)
    expect(session.decided).toMatchObject([{ by: 'ana', decision: 'allow' }])
  })

  it('prints the call that will run, a rule only if one was added, and who decided first', async () => {
    const testServer = await openTestServer([[bash('rm x'), bash('pwd'), say('done')]])
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'waiting_approval')
    const [first] = (await testServer.sessions.listApprovals({ session: sessionId })).approvals
    const { terminal, stdout } = await testServer.openTerminal()
    await approve(terminal, { what: sessionId, flags: { input: '{"command":"ls"}' } })
    expect(stdout()).toBe('allowed Bash ls (edited)\n')
    const late = approve(terminal, { what: first?.approvalId ?? '', flags: {} })
    await expect(late).rejects.toMatchObject({
      code: 'approval.already-decided',
      message: expect.stringMatching(/was decided by operator at \d{4}-/),
    })
    await expect
      .poll(async () => (await testServer.sessions.listApprovals({ session: sessionId })).approvals[0]?.toolInput, wait)
      .toEqual({ command: 'pwd' })
    await approve(terminal, { what: sessionId, flags: { always: true } })
    expect(stdout()).toContain('\nallowed Bash pwd (rule: Bash(pwd))\n')
  })

  it('requires a choice between several approvals, and decides all of them with --all', async () => {
    const both = { type: 'parallel', tools: [bash('ls'), bash('pwd')] } as const
    const testServer = await openTestServer([[both, say('done')]])
    const { sessionId } = await testServer.create('go')
    await expect
      .poll(async () => (await testServer.sessions.listApprovals({ session: sessionId })).approvals, wait)
      .toHaveLength(2)
    const { terminal, stdout, stderr } = await testServer.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(/2 approvals are open/)
    const edited = approve(terminal, { what: sessionId, flags: { all: true, input: '{"command":"ls"}' } })
    await expect(edited).rejects.toThrow(/--input applies to one call/)
    expect(await approve(terminal, { what: sessionId, flags: { all: true, deny: true } })).toBe(0)
    expect(stdout().match(/denied/g)).toHaveLength(2)
    await testServer.reaches(sessionId, 'idle')
    expect(await approve(terminal, { what: sessionId, flags: {} })).toBe(1)
    expect(stderr()).toBe(`error: ${sessionId} has no open approval\n`)
  })

  it('shows a path below the folder of the session relative to it', async () => {
    const testServer = await openTestServer(
      (path) => [{ type: 'tool', name: 'Write', input: { file_path: path, content: 'x' }, result: 'ok' }, say('done')],
      agentText.replace('bash: ', 'file_system: { read: true, write: true, edit: true }, bash: '),
    )
    const { terminal, stdout } = await testServer.openTerminal()
    const { sessionId } = await testServer.create(join(terminal.cwd, 'src', 'a.js'))
    await testServer.reaches(sessionId, 'waiting_approval')
    await approve(terminal, { what: sessionId, flags: {} })
    expect(stdout()).toBe('allowed Write src/a.js\n    {"content":"x"}\n')
  })

  it('shows an edit as lines, and names the waiting call when --input is for another tool', async () => {
    const change = { file_path: 'a.js', old_string: 'one', new_string: 'two', replace_all: false }
    const edits = { type: 'tool', name: 'Edit', input: change, result: 'ok' } as const
    const agent = agentText.replace('bash: ', 'file_system: { read: true, write: true, edit: true }, bash: ')
    const testServer = await openTestServer([[edits, say('done')]], agent)
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'waiting_approval')
    const { terminal, stdout } = await testServer.openTerminal()
    const misplaced = approve(terminal, { what: sessionId, flags: { input: '{"command":"ls"}' } })
    await expect(misplaced).rejects.toMatchObject({
      code: 'request.invalid',
      message: expect.stringMatching(/input\.file_path: .*; the waiting call is Edit a\.js$/),
    })
    await approve(terminal, { what: sessionId, flags: { deny: true } })
    expect(stdout()).toBe('denied Edit a.js\n    - one\n    + two\n')
  })

  it('reports the decisions made before a failure', async () => {
    const both = { type: 'parallel', tools: [bash('ls'), bash('pwd')] } as const
    const testServer = await openTestServer([[both, say('done')]])
    const { sessionId } = await testServer.create('go')
    await expect
      .poll(async () => (await testServer.sessions.listApprovals({ session: sessionId })).approvals, wait)
      .toHaveLength(2)
    const url = await openFailingProxy(testServer.url)
    const { terminal, stdout, stderr } = await testServer.openTerminal({
      QUARTERDECK_URL: url,
      QUARTERDECK_TOKEN: await testServer.token(),
    })
    await expect(approve(terminal, { what: sessionId, flags: { all: true } })).rejects.toThrow()
    expect(stdout().match(/allowed/g)).toHaveLength(1)
    expect(stderr()).toMatch(/^1 of 2 were decided before apr_\w+ failed\n$/)
  })

  it('says how to start a server when none is running', async () => {
    const testServer = await openTestServer([])
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'idle')
    await testServer.close()
    const { terminal } = await testServer.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(
      /start one with "node .*quarterdeck\.mjs serve"/,
    )
  })
})
