// The commands that ask a running server, against a real one.
import type { SessionId, SessionStatus } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { agentText, bash, say } from '../scripted-agent.fixture.ts'
import { openServedHouse } from '../served-house.fixture.ts'
import { openTestTerminal } from '../terminal.fixture.ts'
import { approve } from './approve.ts'
import { exportAudit, verifyAudit } from './audit.ts'
import { controlSession, forkSession } from './control-session.ts'
import { costs } from './costs.ts'
import { exportSession } from './export-session.ts'
import { createKey } from './keys.ts'
import { tailSession } from './tail-session.ts'

type House = Awaited<ReturnType<typeof openServedHouse>>

const wait = { timeout: 60_000 }
const reaches = ({ sessions }: House, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await sessions.snapshot(sessionId)).session.status, wait).toBe(status)

const create = (house: House, message: string) => house.sessions.create({ agent: 'tester', message }, 'operator')

const used = { type: 'usage', input: 1000, output: 100, costUsd: 0.5 } as const

describe('quarterdeck sessions approve', () => {
  it('decides the one open approval, and the log names the owner of the key', async () => {
    const house = await openServedHouse([[bash('ls'), say('done')]])
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'waiting_approval')
    const made = await house.openTerminal()
    await createKey(made.terminal, { name: 'ana', flags: {} })
    const { terminal, stdout } = await house.openTerminal({ QUARTERDECK_TOKEN: made.stdout().trim() })
    expect(await approve(terminal, { what: sessionId, flags: { note: 'fine' } })).toBe(0)
    expect(stdout()).toContain('allowed Bash')
    await reaches(house, sessionId, 'idle')
    const { session } = await house.sessions.snapshot(sessionId)
    expect(session.decided).toMatchObject([{ by: 'ana', decision: 'allow' }])
  })

  it('wants to know which of several is meant, and takes all of them with --all', async () => {
    const both = { type: 'parallel', tools: [bash('ls'), bash('pwd')] } as const
    const house = await openServedHouse([[both, say('done')]])
    const { sessionId } = await create(house, 'go')
    await expect.poll(async () => (await house.sessions.approvals(sessionId)).approvals, wait).toHaveLength(2)
    const { terminal, stdout } = await house.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(/2 approvals are open/)
    expect(await approve(terminal, { what: sessionId, flags: { all: true, deny: true } })).toBe(0)
    expect(stdout().match(/denied/g)).toHaveLength(2)
    await reaches(house, sessionId, 'idle')
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toMatchObject({
      code: 'approval.not-found',
    })
  })

  it('says how to start a server where none runs', async () => {
    const house = await openServedHouse([])
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'idle')
    await house.close()
    const { terminal } = await house.openTerminal()
    await expect(approve(terminal, { what: sessionId, flags: {} })).rejects.toThrow(/quarterdeck serve/)
  })
})

describe('control', () => {
  it('pauses, resumes and cancels', async () => {
    const house = await openServedHouse((_, turn) => (turn === 0 ? [{ type: 'stall', chunks: ['hm'] }] : [say('on')]))
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'running')
    const { terminal, stdout } = await house.openTerminal()
    await controlSession(terminal, { id: sessionId, control: 'pause', flags: {} })
    await reaches(house, sessionId, 'paused')
    await controlSession(terminal, { id: sessionId, control: 'resume', flags: {} })
    await reaches(house, sessionId, 'idle')
    await controlSession(terminal, { id: sessionId, control: 'cancel', flags: {} })
    await reaches(house, sessionId, 'cancelled')
    expect(stdout()).toBe(`${sessionId}: pausing\n${sessionId}: going on\n${sessionId}: cancelled\n`)
  })

  it('forks, and prints the id of the new session alone', async () => {
    const house = await openServedHouse([])
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'idle')
    const { terminal, stdout } = await house.openTerminal()
    await forkSession(terminal, { id: sessionId, flags: { title: 'another way' } })
    expect(stdout()).toMatch(/^ses_\w+\n$/)
    const forked = (await house.sessions.list({ text: 'another way' })).sessions[0]
    expect(forked).toMatchObject({ sessionId: stdout().trim(), forkedFrom: { sessionId } })
  })
})

describe('quarterdeck sessions tail and export', () => {
  it('shows a session to its end, as words and as events, with and without a server', async () => {
    const house = await openServedHouse([[used, say('the answer')]])
    const { sessionId } = await create(house, 'the question')
    const live = await house.openTerminal()
    const tailing = tailSession(live.terminal, { id: sessionId, flags: {} })
    await reaches(house, sessionId, 'idle')
    await house.sessions.close(sessionId, 'operator')
    expect(await tailing).toBe(0)
    expect(live.stdout()).toContain('the answer')
    await house.close()
    const later = await house.openTerminal()
    expect(await tailSession(later.terminal, { id: sessionId, flags: { json: true } })).toBe(0)
    const lines = later.stdout().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, index) => index + 1))
    const jsonl = await house.openTerminal()
    await exportSession(jsonl.terminal, { id: sessionId, flags: {} })
    expect(jsonl.stdout().trim().split('\n')).toHaveLength(lines.length)
    const page = await house.openTerminal()
    await exportSession(page.terminal, { id: sessionId, flags: { format: 'markdown' } })
    expect(page.stdout()).toMatch(/^# the question\n[\s\S]*## operator\n\nthe question\n\n## Agent\n\nthe answer\n/)
  })
})

describe('quarterdeck costs and audit', () => {
  it('adds up what was spent, and says so when nothing was', async () => {
    const house = await openServedHouse(
      [[used, say('one')]],
      `${agentText.replace('simulator', 'anthropic')}gateway: off\n`,
    )
    const empty = await house.openTerminal()
    await costs(empty.terminal, {})
    expect(empty.stdout()).toContain('nothing was spent yet')
    await expect(costs(empty.terminal, { by: 'moon' })).rejects.toMatchObject({ code: 'request.invalid' })
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'idle')
    const { terminal, stdout } = await house.openTerminal()
    expect(await costs(terminal, { by: 'agent,user' })).toBe(0)
    expect(stdout()).toMatch(/^ +requests +in +out +units +cost +saved\ntester operator +1 +1,?000 +100 /)
    expect(stdout()).toMatch(/\ntotal +1 /)
  })

  it('verifies the chain and exports it', async () => {
    const house = await openServedHouse([])
    const { sessionId } = await create(house, 'go')
    await reaches(house, sessionId, 'idle')
    const verified = await house.openTerminal()
    expect(await verifyAudit(verified.terminal, {})).toBe(0)
    expect(verified.stdout()).toMatch(/^the chain holds: \d+ entries\n$/)
    const exported = await house.openTerminal()
    await exportAudit(exported.terminal, {})
    const entries = exported.stdout().trim().split('\n')
    expect(JSON.parse(entries[0] ?? '')).toMatchObject({ seq: 1, principal: 'operator' })
    expect(`${verified.stdout()}`).toContain(`${entries.length} entries`)
  })
})

it('keys are refused a second time under the same name', async () => {
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: '' })
  expect(await createKey(terminal, { name: 'ana', flags: {} })).toBe(0)
  expect(stdout()).toMatch(/^qd-key-[\w-]{43}\n$/)
  expect(stderr()).toContain('kept nowhere')
  await expect(createKey(terminal, { name: 'ana', flags: {} })).rejects.toMatchObject({ code: 'key.exists' })
})
