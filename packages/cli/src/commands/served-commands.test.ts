// The commands that call a running server, tested with a real one.
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { dataFolders, openLog } from '@quarterdeck/engine'
import type { SessionId, SessionStatus } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentText, bash, say } from '../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../connect/test-server.fixture.ts'
import { dataFolder } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exportAudit, verifyAudit } from './audit/audit.ts'
import { costs } from './costs/costs.ts'
import { createKey, listKeys, revokeKey } from './keys/keys.ts'
import { approve } from './sessions/approve.ts'
import { controlSession, forkSession } from './sessions/control-session.ts'
import { exportSession } from './sessions/export-session.ts'
import { listSessions, showSession } from './sessions/sessions.ts'
import { tailSession } from './sessions/tail-session.ts'

type TestServer = Awaited<ReturnType<typeof openTestServer>>

const wait = { timeout: 60_000 }
const reaches = ({ sessions }: TestServer, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await sessions.getSession(sessionId)).session.status, wait).toBe(status)

const create = (testServer: TestServer, message: string) =>
  testServer.sessions.createSession({ agent: 'tester', message }, 'operator')

/** A proxy in front of the server of the data folder that refuses every POST after the first. */
async function openFailingProxy(terminal: Terminal): Promise<string> {
  const log = await openLog(dataFolder(terminal, {}))
  const address = await log.serverAddress()
  await log.close()
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

const tokenOf = async (testServer: TestServer): Promise<string> => {
  const { terminal } = await testServer.openTerminal()
  return (await readFile(dataFolders(dataFolder(terminal, {})).token, 'utf8')).trim()
}

const used = { type: 'usage', input: 1000, output: 100, costUsd: 0.5 } as const

describe('quarterdeck sessions approve', () => {
  it('decides the only open approval, and the log names the key', async () => {
    const testServer = await openTestServer([[bash('ls'), say('done')]])
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'waiting_approval')
    const made = await testServer.openTerminal()
    await createKey(made.terminal, { name: 'ana', flags: { owner: 'operator' } })
    const { terminal, stdout } = await testServer.openTerminal({ QUARTERDECK_TOKEN: made.stdout().trim() })
    expect(await approve(terminal, { what: sessionId, flags: { note: 'fine' } })).toBe(0)
    expect(stdout()).toBe('allowed Bash ls\n')
    await reaches(testServer, sessionId, 'idle')
    const { session } = await testServer.sessions.getSession(sessionId)
    expect(session.decided).toMatchObject([{ by: 'ana', decision: 'allow' }])
  })

  it('prints the call that will run, a rule only if one was added, and who decided first', async () => {
    const testServer = await openTestServer([[bash('rm x'), bash('pwd'), say('done')]])
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'waiting_approval')
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
    const { sessionId } = await create(testServer, 'go')
    await expect
      .poll(async () => (await testServer.sessions.listApprovals({ session: sessionId })).approvals, wait)
      .toHaveLength(2)
    const { terminal, stdout, stderr } = await testServer.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(/2 approvals are open/)
    const edited = approve(terminal, { what: sessionId, flags: { all: true, input: '{"command":"ls"}' } })
    await expect(edited).rejects.toThrow(/--input applies to one call/)
    expect(await approve(terminal, { what: sessionId, flags: { all: true, deny: true } })).toBe(0)
    expect(stdout().match(/denied/g)).toHaveLength(2)
    await reaches(testServer, sessionId, 'idle')
    expect(await approve(terminal, { what: sessionId, flags: {} })).toBe(1)
    expect(stderr()).toBe(`error: ${sessionId} has no open approval\n`)
  })

  it('shows a path below the folder of the session relative to it', async () => {
    const testServer = await openTestServer(
      (path) => [{ type: 'tool', name: 'Write', input: { file_path: path, content: 'x' }, result: 'ok' }, say('done')],
      agentText.replace('bash: ', 'file_system: { read: true, write: true, edit: true }, bash: '),
    )
    const { terminal, stdout } = await testServer.openTerminal()
    const { sessionId } = await create(testServer, join(terminal.cwd, 'src', 'a.js'))
    await reaches(testServer, sessionId, 'waiting_approval')
    await approve(terminal, { what: sessionId, flags: {} })
    expect(stdout()).toBe('allowed Write src/a.js\n    {"content":"x"}\n')
  })

  it('shows an edit as lines, and names the waiting call when --input is for another tool', async () => {
    const change = { file_path: 'a.js', old_string: 'one', new_string: 'two', replace_all: false }
    const edits = { type: 'tool', name: 'Edit', input: change, result: 'ok' } as const
    const agent = agentText.replace('bash: ', 'file_system: { read: true, write: true, edit: true }, bash: ')
    const testServer = await openTestServer([[edits, say('done')]], agent)
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'waiting_approval')
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
    const { sessionId } = await create(testServer, 'go')
    await expect
      .poll(async () => (await testServer.sessions.listApprovals({ session: sessionId })).approvals, wait)
      .toHaveLength(2)
    const url = await openFailingProxy((await testServer.openTerminal()).terminal)
    const { terminal, stdout, stderr } = await testServer.openTerminal({
      QUARTERDECK_URL: url,
      QUARTERDECK_TOKEN: await tokenOf(testServer),
    })
    await expect(approve(terminal, { what: sessionId, flags: { all: true } })).rejects.toThrow()
    expect(stdout().match(/allowed/g)).toHaveLength(1)
    expect(stderr()).toMatch(/^1 of 2 were decided before apr_\w+ failed\n$/)
  })

  it('says how to start a server when none is running', async () => {
    const testServer = await openTestServer([])
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'idle')
    await testServer.close()
    const { terminal } = await testServer.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(
      /start one with "node .*quarterdeck\.mjs serve"/,
    )
  })
})

describe('quarterdeck sessions pause, resume, cancel and fork', () => {
  it('pauses, resumes and cancels a session', async () => {
    const testServer = await openTestServer((input) =>
      input === 'go' ? [{ type: 'stall', chunks: ['hm'] }] : [say('on')],
    )
    const { sessionId } = await create(testServer, 'go')
    // The agent has its message: a turn that is paused before that takes it up again and stalls again.
    await expect.poll(async () => (await testServer.sessions.getSession(sessionId)).openTexts, wait).toHaveLength(1)
    const { terminal, stdout } = await testServer.openTerminal()
    await controlSession(terminal, { id: sessionId, control: 'pause', flags: {} })
    await reaches(testServer, sessionId, 'paused')
    await controlSession(terminal, { id: sessionId, control: 'resume', flags: {} })
    await reaches(testServer, sessionId, 'idle')
    await controlSession(terminal, { id: sessionId, control: 'cancel', flags: {} })
    await reaches(testServer, sessionId, 'cancelled')
    expect(stdout()).toBe(`${sessionId}: pausing\n${sessionId}: resuming\n${sessionId}: cancelled\n`)
  })

  it('forks a session and prints only the id of the new one', async () => {
    const testServer = await openTestServer([])
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'idle')
    const { terminal, stdout } = await testServer.openTerminal()
    await forkSession(terminal, { id: sessionId, flags: { title: 'another way' } })
    expect(stdout()).toMatch(/^ses_\w+\n$/)
    const forked = (await testServer.sessions.listSessions({ text: 'another way' })).sessions[0]
    expect(forked).toMatchObject({ sessionId: stdout().trim(), forkedFrom: { sessionId } })
    const list = await testServer.openTerminal()
    await listSessions(list.terminal, {})
    const columns = list
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => line.indexOf('idle'))
    expect(columns).toEqual([columns[0], columns[0]])
  })
})

describe('quarterdeck sessions tail and export', () => {
  it('shows a session to its end, as text and as events, with and without a server', async () => {
    const testServer = await openTestServer([[used, say('the answer')]])
    const { sessionId } = await create(testServer, 'the question')
    const live = await testServer.openTerminal()
    const tailing = tailSession(live.terminal, { id: sessionId, flags: {} })
    await reaches(testServer, sessionId, 'idle')
    await testServer.sessions.close(sessionId, 'operator')
    expect(await tailing).toBe(0)
    expect(live.stdout()).toContain('the answer')
    await testServer.close()
    const later = await testServer.openTerminal()
    expect(await tailSession(later.terminal, { id: sessionId, flags: { json: true } })).toBe(0)
    const lines = later.stdout().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, index) => index + 1))
    const nowhere = exportSession(later.terminal, { id: sessionId, flags: { out: 'no/such/folder/x' } })
    await expect(nowhere).rejects.toThrow(/no\/such\/folder\/x cannot be written/)
    const jsonl = await testServer.openTerminal()
    await exportSession(jsonl.terminal, { id: sessionId, flags: {} })
    expect(jsonl.stdout().trim().split('\n')).toHaveLength(lines.length)
    const page = await testServer.openTerminal()
    await exportSession(page.terminal, { id: sessionId, flags: { format: 'markdown' } })
    expect(page.stdout()).toMatch(/^# the question\n[\s\S]*## operator\n\nthe question\n\n## Agent\n\nthe answer\n/)
  })
})

it('ends a tail from the end of a closed session, with and without a server', async () => {
  const testServer = await openTestServer([])
  const { sessionId } = await create(testServer, 'go')
  await reaches(testServer, sessionId, 'idle')
  await testServer.sessions.close(sessionId, 'operator')
  const { seq } = (await testServer.sessions.getSession(sessionId)).session
  for (const after of [seq, seq + 100]) {
    const { terminal, stdout, stderr } = await testServer.openTerminal()
    expect(await tailSession(terminal, { id: sessionId, flags: { after } })).toBe(0)
    expect([stdout(), stderr()]).toEqual(['', 'the session is closed\n'])
    await testServer.close()
  }
})

describe('quarterdeck costs and audit', () => {
  it('adds up costs, and says so when there are none', async () => {
    const testServer = await openTestServer(
      [[used, say('one')]],
      `${agentText.replace('simulator', 'anthropic')}gateway: off\n`,
    )
    const empty = await testServer.openTerminal()
    await costs(empty.terminal, {})
    expect(empty.stdout()).toContain('no costs yet')
    await expect(costs(empty.terminal, { by: 'moon' })).rejects.toMatchObject({ code: 'request.invalid' })
    for (const flag of ['from', 'to'])
      await expect(costs(empty.terminal, { [flag]: 'yesterday' })).rejects.toThrow(
        `--${flag}: must be a day (2026-01-31) or a time in UTC (2026-01-31T08:00:00Z)`,
      )
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'idle')
    const { terminal, stdout } = await testServer.openTerminal()
    expect(await costs(terminal, { by: 'agent,user' })).toBe(0)
    expect(stdout()).toMatch(
      /^agent +user +requests +in +cache read +cache write +out +units +cost +saved\ntester +operator +1 +1,?000 +0 +0 +100 /,
    )
    expect(stdout()).toMatch(/\ntotal +1 /)
    const turned = await testServer.openTerminal()
    await costs(turned.terminal, { by: 'user,agent' })
    expect(turned.stdout()).toMatch(/^user +agent [\s\S]*\noperator +tester /)
    const filtered = await testServer.openTerminal()
    await costs(filtered.terminal, { agent: 'nobody', from: '2020-01-01' })
    expect(filtered.stdout()).toBe('no costs for --from 2020-01-01 --agent nobody\n')
  })

  it('prints what was saved against the high model, and what was spent in addition', async () => {
    for (const [tier, saved] of [
      ['low', /\ntotal .* \$0\.\d+ +\$0\.\d+\n$/],
      ['pro', /\ntotal .* \$0\.\d+ +-\$0\.\d+\n$/],
    ] as const) {
      const agent = agentText.replace('simulator, name: high', `anthropic, name: ${tier}`)
      const testServer = await openTestServer([[used, say('one')]], `${agent}gateway: off\n`)
      const { sessionId } = await create(testServer, 'go')
      await reaches(testServer, sessionId, 'idle')
      const { terminal, stdout } = await testServer.openTerminal()
      await costs(terminal, {})
      expect(stdout()).toMatch(saved)
    }
  })

  it('verifies the chain and exports it', async () => {
    const testServer = await openTestServer([])
    const { sessionId } = await create(testServer, 'go')
    await reaches(testServer, sessionId, 'idle')
    const verified = await testServer.openTerminal()
    expect(await verifyAudit(verified.terminal, {})).toBe(0)
    expect(verified.stdout()).toMatch(/^the chain is intact: (\d+) entries\nhead [0-9a-f]{64}:\1\n$/)
    const exported = await testServer.openTerminal()
    await exportAudit(exported.terminal, {})
    const entries = exported.stdout().trim().split('\n')
    expect(JSON.parse(entries[0] ?? '')).toMatchObject({ seq: 1, principal: 'engine', action: 'server.started' })
    expect(JSON.parse(entries[1] ?? '')).toMatchObject({ seq: 2, principal: 'operator' })
    expect(`${verified.stdout()}`).toContain(`${entries.length} entries`)
    const { terminal, stderr } = await testServer.openTerminal()
    await exportAudit(terminal, { out: 'chain.jsonl' })
    expect(await readFile(join(terminal.cwd, 'chain.jsonl'), 'utf8')).toBe(exported.stdout())
    expect(stderr()).toContain(`${entries.length} entries written`)
    const nowhere = exportAudit(terminal, { out: 'no/such/folder/x' })
    await expect(nowhere).rejects.toMatchObject({
      code: 'request.invalid',
      message: expect.stringContaining('no/such/folder/x cannot be written'),
    })
  })
})

it('a second key with the same name is refused', async () => {
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: '' })
  await mkdir(dataFolder(terminal, {}))
  expect(await createKey(terminal, { name: 'ana', flags: {} })).toBe(0)
  expect(stdout()).toMatch(/^qd-key-[\w-]{43}\n$/)
  expect(stderr()).toContain('key ana: scope operator, owner ana\n')
  expect(stderr()).toContain('The token is not stored')
  await expect(createKey(terminal, { name: 'ana', flags: {} })).rejects.toMatchObject({ code: 'key.exists' })
})

it('a key is created with its scope, owner, expiry, rate and budget', async () => {
  const { terminal, stdout } = await openTestTerminal({ piped: '' })
  await mkdir(dataFolder(terminal, {}))
  const limits = { scope: 'agent', owner: 'ben', expires: '2099-01-01', rate: 30, budget: 2.5, period: 'day' } as const
  await createKey(terminal, { name: 'ci', flags: { ...limits, json: true } })
  const { token, ...made } = JSON.parse(stdout()) as { token: string }
  expect(token).toMatch(/^qd-key-/)
  expect(made).toMatchObject({ name: 'ci', scope: 'agent', owner: 'ben', requestsPerMinute: 30 })
  expect(made).toMatchObject({
    expiresAt: '2099-01-01T00:00:00.000Z',
    budgets: [{ limit: 2.5, unit: 'usd', period: 'day' }],
  })
  const listed = await openTestTerminal({ piped: '' })
  await listKeys({ ...listed.terminal, cwd: terminal.cwd }, {})
  expect(listed.stdout()).toMatch(
    /^name {2}scope {2}owner {2}created {11}expires {11}revoked {2}limits\nci {4}agent {2}ben {4}\S{16} {2}2099-01-01T00:00 {11}30 requests a minute, \$2.50 a day\n$/,
  )
  const alone = createKey(terminal, { name: 'dan', flags: { period: 'day' } })
  await expect(alone).rejects.toMatchObject({ code: 'request.invalid', message: expect.stringContaining('--budget') })
})

it('a revoked key is refused and its name is still listed', async () => {
  const testServer = await openTestServer([])
  const { sessionId } = await create(testServer, 'go')
  await reaches(testServer, sessionId, 'idle')
  const made = await testServer.openTerminal()
  await createKey(made.terminal, { name: 'ana', flags: { owner: 'operator' } })
  const { terminal } = await testServer.openTerminal({ QUARTERDECK_TOKEN: made.stdout().trim() })
  expect(await controlSession(terminal, { id: sessionId, control: 'pause', flags: {} })).toBe(0)
  const owner = await testServer.openTerminal()
  expect(await revokeKey(owner.terminal, { name: 'ana', flags: {} })).toBe(0)
  const refused = controlSession(terminal, { id: sessionId, control: 'cancel', flags: {} })
  const token = join(terminal.cwd, '.quarterdeck', 'token')
  await expect(refused).rejects.toMatchObject({ code: 'auth.invalid', message: expect.stringContaining(token) })
  await listKeys(owner.terminal, {})
  expect(owner.stdout()).toMatch(/^revoked ana\nname .*\nana {3}operator {2}operator {2}\S{16} {2}never {4}\S{16}\n$/)
  await expect(revokeKey(owner.terminal, { name: 'ana', flags: {} })).rejects.toMatchObject({ code: 'key.not-found' })
})

describe('with a server in QUARTERDECK_URL', () => {
  const lsOne = (terminal: Terminal) => listSessions(terminal, { limit: 1 })

  it('sessions ls, show and export read from it in any folder', async () => {
    const testServer = await openTestServer([[say('hello there')]])
    const { sessionId: id } = await create(testServer, 'go')
    await reaches(testServer, id, 'idle')
    const env = { QUARTERDECK_URL: testServer.url, QUARTERDECK_TOKEN: await tokenOf(testServer) }
    for (const command of [
      lsOne,
      (terminal: Terminal) => showSession(terminal, { id, flags: {} }),
      (terminal: Terminal) => exportSession(terminal, { id, flags: { format: 'markdown' } }),
    ]) {
      const [elsewhere, there] = [await openTestTerminal({ piped: '', env }), await testServer.openTerminal()]
      expect(await command(elsewhere.terminal)).toBe(0)
      await command(there.terminal)
      expect(elsewhere.stdout()).toContain(id)
      expect(elsewhere.stdout()).toBe(there.stdout())
    }
    const [elsewhere, log] = [
      await openTestTerminal({ piped: '', env }),
      await testServer.sessions.readEvents(id, { limit: 1000 }),
    ]
    await exportSession(elsewhere.terminal, { id, flags: {} })
    const lines = elsewhere.stdout().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(log.events)
  })

  it('is used even when the folder has sessions of its own', async () => {
    const [testServer, other] = [await openTestServer([]), await openTestServer([])]
    await create(testServer, 'mine')
    const env = { QUARTERDECK_URL: other.url, QUARTERDECK_TOKEN: await tokenOf(other) }
    const { terminal, stdout } = await testServer.openTerminal(env)
    await lsOne(terminal)
    expect(stdout()).toContain('no sessions yet')
  })
})
