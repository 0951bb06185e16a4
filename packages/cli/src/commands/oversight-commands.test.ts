// Audit, keys, exports and rates on a data folder, with and without a server.
import { existsSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { agentText, say, scripted, writeAgent } from '../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../connect/test-server.fixture.ts'
import { dataFolder } from '../flags/runtime-options.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { verifyAudit } from './audit/audit.ts'
import { createKey, listKeys, revokeKey } from './keys/keys.ts'
import { run } from './run/run.ts'
import { serve } from './serve/serve.ts'
import { exportSession } from './sessions/export-session.ts'
import { listSessions } from './sessions/sessions.ts'
import { tailSession } from './sessions/tail-session.ts'

const rests = (testServer: Awaited<ReturnType<typeof openTestServer>>, sessionId: SessionId) =>
  expect.poll(async () => (await testServer.sessions.getSession(sessionId)).session.status).toBe('idle')

describe('quarterdeck audit verify --head', () => {
  it('accepts an earlier head of the chain and refuses any other', async () => {
    const testServer = await openTestServer([])
    const before = await testServer.openTerminal()
    await verifyAudit(before.terminal, {})
    const head = /^head (.*)$/m.exec(before.stdout())?.[1] ?? ''
    await testServer.sessions.createSession({ agent: 'tester', message: 'go' }, 'operator')
    const now = await testServer.openTerminal()
    expect(await verifyAudit(now.terminal, { head })).toBe(0)
    expect(now.stdout()).toContain('it contains the given head')
    expect(await verifyAudit(now.terminal, { head: `${'0'.repeat(64)}:0` })).toBe(0)
    const forged = head.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    const rewritten = await testServer.openTerminal()
    expect(await verifyAudit(rewritten.terminal, { head: forged, json: true })).toBe(1)
    expect(JSON.parse(rewritten.stdout())).toMatchObject({ ok: false, problem: 'head-altered' })
    const cut = await testServer.openTerminal()
    expect(await verifyAudit(cut.terminal, { head: head.replace(/:\d+$/, ':9999') })).toBe(1)
    expect(cut.stdout()).toContain('shorter than it was')
    await expect(verifyAudit(cut.terminal, { head: 'abc' })).rejects.toMatchObject({ code: 'request.invalid' })
  })
})

it('keys are created, listed and revoked only in an existing data folder', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const flags = { data: 'mistyped' }
  for (const refused of [
    () => createKey(terminal, { name: 'ana', flags }),
    () => listKeys(terminal, flags),
    () => revokeKey(terminal, { name: 'ana', flags }),
  ]) {
    await expect(async () => refused()).rejects.toMatchObject({
      code: 'config.unreadable',
      message: expect.stringContaining('--data'),
    })
  }
  expect(existsSync(dataFolder(terminal, flags))).toBe(false)
})

it('creating a viewer key that sees no sessions prints a warning with a fix', async () => {
  const testServer = await openTestServer([])
  const warningFor = async (name: string, flags: { scope?: 'viewer' | 'operator'; owner?: string }) => {
    const { terminal, stderr } = await testServer.openTerminal()
    expect(await createKey(terminal, { name, flags })).toBe(0)
    return stderr()
  }
  const warning = await warningFor('wall', { scope: 'viewer' })
  expect(warning).toContain('a viewer cannot start sessions, so this key sees nothing. Create it with --owner NAME')
  expect(await warningFor('board', { scope: 'viewer', owner: 'operator' })).not.toContain('--owner')
  expect(await warningFor('ben', {})).not.toContain('--owner')
})

it.each(['markdown', 'jsonl'] as const)('an export as %s escapes control characters on a terminal', async (format) => {
  const { terminal, stdout } = await openTestTerminal({ piped: '' })
  const agent = await writeAgent(terminal.cwd)
  const nasty = '\u001b]0;owned\u0007 \u009b2J'
  await run(terminal, { agent, message: nasty, flags: {} }, scripted([[say(nasty)]]))
  await listSessions(terminal, {})
  const id = /ses_\w+/.exec(stdout())?.[0] ?? ''
  const textFor = async (isTTY: boolean) => {
    const screen = Object.assign(new PassThrough(), { isTTY })
    let text = ''
    screen.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    await exportSession({ ...terminal, stdout: screen }, { id, flags: { format } })
    return text
  }
  expect(await textFor(false)).toContain('\u009b2J')
  const shown = await textFor(true)
  expect(shown).toContain('owned')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys is what is looked for
  expect(shown).not.toMatch(/[\u001b\u0007\u009b]/)
})

it('a tail without a server says that it polls, and ends when its reader closes', async () => {
  const testServer = await openTestServer([[say('the answer')]])
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester', message: 'go' }, 'operator')
  await rests(testServer, sessionId)
  await testServer.close()
  const { terminal, stderr, stdout } = await testServer.openTerminal()
  const tailing = tailSession(terminal, { id: sessionId, flags: {} })
  await expect.poll(stdout).toContain('the answer')
  expect(stderr().match(/no server is running on/g)).toHaveLength(1)
  terminal.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect(await tailing).toBe(0)
})

describe('quarterdeck serve', () => {
  const startedWith = async (agent: string) => {
    const { terminal, stdout, signal } = await openTestTerminal({
      piped: '',
      env: { ANTHROPIC_API_KEY: 'made-up-for-tests' },
    })
    await writeAgent(terminal.cwd, agent)
    const serving = serve(terminal, { paths: [], flags: { port: 0, host: '127.0.0.1', open: false, graceSeconds: 0 } })
    await expect.poll(stdout).toContain(`Ctrl-C stops.\nprocess id ${process.pid}\n`)
    signal()
    expect(await serving).toBe(0)
    return stdout()
  }

  it('prints the rate tier when a provider answers and the tier is not configured', async () => {
    expect(await startedWith(agentText.replace('simulator', 'anthropic'))).toMatch(
      /^requests are limited to rate tier 1 /m,
    )
    expect(await startedWith(agentText)).not.toContain('rate tier')
  })
})
