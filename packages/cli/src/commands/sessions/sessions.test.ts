import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAgent } from '../../connect/open-agent.ts'
import { agentText, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { run } from '../run/run.ts'
import { exportSession } from './export-session.ts'
import { listSessions, showSession } from './sessions.ts'

/** A data folder with one run for each message, and a terminal in it. */
async function openFolder(...messages: readonly string[]) {
  const { terminal } = await openTestTerminal({ piped: '' })
  const agent = await writeAgent(terminal.cwd)
  const { runtime } = await openAgent(terminal, { path: agent, flags: {}, canAsk: false }, scripted([]))
  await runtime.close()
  for (const message of messages) {
    await run(terminal, { agent, message, flags: {} }, scripted([[say('\u001B[31mred')]]))
  }
  return openTestTerminal({ piped: '', cwd: terminal.cwd })
}

const idsIn = (text: string): string[] => text.match(/ses_\w+/g) ?? []

describe('quarterdeck sessions list', () => {
  it('says how to start a session when there is none', async () => {
    const { terminal, stdout } = await openFolder()
    expect(await listSessions(terminal, {})).toBe(0)
    expect(stdout()).toContain('no sessions yet')
  })

  it('lists the newest first, with status, agent, cost and title', async () => {
    const { terminal, stdout } = await openFolder('first things', 'second things')
    expect(await listSessions(terminal, {})).toBe(0)
    const rows = stdout().trimEnd().split('\n')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^ses_\w+ {2}completed +tester +\$0 {2}\d{4}-\d\d-\d\d \d\d:\d\dZ {2}second things$/)
    expect(rows[1]).toMatch(/first things$/)
  })

  it('shows a lower bound when some requests have no price', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '', env: { ANTHROPIC_API_KEY: 'made-up-for-tests' } })
    const direct = `${agentText.replace('simulator', 'anthropic').replace(', max_budget_usd: 2', '')}gateway: off\n`
    const used = { type: 'usage', input: 100_000, output: 1000 } as const
    // The second request has no known price.
    for (const model of ['high', 'claude-opus-4-20250514']) {
      const agent = await writeAgent(terminal.cwd, direct.replace('name: high', `name: ${model}`))
      await run(terminal, { agent, message: 'go', flags: {} }, scripted([[used, say('done')]]))
    }
    const before = stdout()
    await listSessions(terminal, {})
    const sums = stdout()
      .slice(before.length)
      .match(/(≥ )?\$\S+/g)
    expect(sums).toEqual(['≥ $0', '$0.32'])
  })

  it('respects --limit, and prints JSON for scripts', async () => {
    const { terminal, stdout } = await openFolder('first', 'second')
    await listSessions(terminal, { limit: 1, json: true })
    expect(JSON.parse(stdout())).toMatchObject([{ title: 'second', status: 'completed' }])
  })
})

it('refuses a folder without a log', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  await expect(listSessions(terminal, { data: 'nowhere' })).rejects.toMatchObject({ code: 'config.unreadable' })
})

describe('quarterdeck sessions show', () => {
  it('prints a transcript with the ids that other commands take, without control characters', async () => {
    const { terminal, stdout } = await openFolder('hello\nthere')
    await listSessions(terminal, {})
    const [id = ''] = idsIn(stdout())
    const next = await openTestTerminal({ piped: '', cwd: terminal.cwd })
    expect(await showSession(next.terminal, { id, flags: {} })).toBe(0)
    const [head, ...lines] = next.stdout().split('\n')
    expect(head).toContain(id)
    const shown = lines.join('\n')
    expect(shown).toMatch(/^simulator \(as claude-.*\) in .*\n\n\S+: {2}umsg_\w+, event \d+\n {2}hello\n {2}there\n\n/)
    expect(shown).toMatch(/\n\ntester: {2}event \d+\n\\u001b\[31mred\n/)
    expect(shown).toMatch(/\n {2}simulator \(as .*\) · 0 in, 0 out · \$0 · .* m?s\n$/)
    expect(shown).not.toMatch(/AgentThought|AgentSessionCreated/)
    expect(shown).not.toContain('\u001B')
  })

  it('names the id of a subagent, which a message to it needs', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd, agentText.replace('bash: ', 'subagents: { enabled: true }, bash: '))
    const looks = { type: 'subagent', agentType: 'explorer', description: 'looks', steps: [], summary: 'seen' } as const
    await run(terminal, { agent, message: 'go', flags: {} }, scripted([[looks, say('done')]]))
    await listSessions(terminal, {})
    const [id = ''] = idsIn(stdout())
    const show = async (json: boolean) => {
      const next = await openTestTerminal({ piped: '', cwd: terminal.cwd })
      await showSession(next.terminal, { id, flags: { json } })
      return next.stdout()
    }
    const [agentId = ''] = (await show(true)).match(/(?<="agentId":")[^"]+/) ?? []
    expect(agentId).not.toBe('')
    expect(await show(false)).toContain(`explorer: looks  ${agentId}\n`)
  })

  it('describes the images of a message, and leaves their data out of the JSON', async () => {
    const { terminal } = await openFolder()
    const image = Buffer.from('\u0089PNG\r\n\u001a\n and more', 'latin1')
    await writeFile(join(terminal.cwd, 'a.png'), image)
    await run(terminal, { agent: '.', message: 'look', flags: { image: ['a.png'] } }, scripted([[say('seen')]]))
    const { terminal: next, stdout } = await openTestTerminal({ piped: '', cwd: terminal.cwd })
    await listSessions(next, {})
    const [id = ''] = idsIn(stdout())
    await showSession(next, { id, flags: { json: true } })
    const queued = stdout()
      .split('\n')
      .find((line) => line.includes('"UserMessageQueued"'))
    expect(JSON.parse(queued ?? '').data.images).toEqual([{ mediaType: 'image/png', bytes: image.length }])
  })

  it('prints one event per line as JSON', async () => {
    const { terminal, stdout } = await openFolder('hello')
    await listSessions(terminal, { json: true })
    const id: string = JSON.parse(stdout())[0].sessionId
    const next = await openTestTerminal({ piped: '', cwd: terminal.cwd })
    await showSession(next.terminal, { id, flags: { json: true } })
    const events = next
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ seq: 1, type: 'AgentSessionCreated', sessionId: id })
  })

  it.each(['ses_nowhere', '../token'])('reports an unknown session: %s', async (id) => {
    const { terminal } = await openFolder()
    await expect(showSession(terminal, { id, flags: {} })).rejects.toMatchObject({ code: 'session.not-found' })
  })
})

describe('with a server in QUARTERDECK_URL', () => {
  const lsOne = (terminal: Terminal) => listSessions(terminal, { limit: 1 })

  it('sessions ls, show and export read from it in any folder', async () => {
    const testServer = await openTestServer([[say('hello there')]])
    const { sessionId: id } = await testServer.create('go')
    await testServer.reaches(id, 'idle')
    const env = { QUARTERDECK_URL: testServer.url, QUARTERDECK_TOKEN: await testServer.token() }
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
    await testServer.create('mine')
    const env = { QUARTERDECK_URL: other.url, QUARTERDECK_TOKEN: await other.token() }
    const { terminal, stdout } = await testServer.openTerminal(env)
    await lsOne(terminal)
    expect(stdout()).toContain('no sessions yet')
  })
})
