import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { exportAudit, verifyAudit } from './audit.ts'

it('verifies the chain and exports it', async () => {
  const testServer = await openTestServer([])
  const { sessionId } = await testServer.create('go')
  await testServer.reaches(sessionId, 'idle')
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

describe('quarterdeck audit verify --head', () => {
  it('accepts an earlier head of the chain and refuses any other', async () => {
    const testServer = await openTestServer([])
    const before = await testServer.openTerminal()
    await verifyAudit(before.terminal, {})
    const head = /^head (.*)$/m.exec(before.stdout())?.[1] ?? ''
    await testServer.create('go')
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
