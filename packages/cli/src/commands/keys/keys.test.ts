import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { dataFolder } from '../../flags/runtime-options.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { controlSession } from '../sessions/control-session.ts'
import { createKey, keyExpiry, listKeys, revokeKey } from './keys.ts'

const now = new Date('2026-05-04T10:00:00.000Z')

describe('keyExpiry', () => {
  it.each([
    ['never', null],
    ['30d', '2026-06-03T10:00:00.000Z'],
    ['90m', '2026-05-04T11:30:00.000Z'],
    ['2w', '2026-05-18T10:00:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2026-05-04T13:00+02:00', '2026-05-04T11:00:00.000Z'],
  ])('parses %s', (text, moment) => {
    expect(keyExpiry(text, now)).toBe(moment)
  })

  it.each(['', 'soon', '30', '0.5d', '-1d', '2027-02-30', '2027-13-01', '01.01.2027', '2027-01-01 12:00'])(
    'refuses %j',
    (text) => {
      expect(() => keyExpiry(text, now)).toThrow(/is not a time: use/)
    },
  )

  it.each(['2026-05-04', '0d', '2020-01-01T00:00:00Z'])('refuses %s, which is in the past', (text) => {
    expect(() => keyExpiry(text, now)).toThrow(/is in the past/)
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
    /^name {2}scope {2}owner {2}created {12}expires {12}revoked {2}limits\nci {4}agent {2}ben {4}\S{10} \S{6} {2}2099-01-01 00:00Z {11}30 requests a minute, \$2.50 a day\n$/,
  )
  const alone = createKey(terminal, { name: 'dan', flags: { period: 'day' } })
  await expect(alone).rejects.toMatchObject({ code: 'request.invalid', message: expect.stringContaining('--budget') })
})

it('a revoked key is refused and its name is still listed', async () => {
  const testServer = await openTestServer([])
  const { sessionId } = await testServer.create('go')
  await testServer.reaches(sessionId, 'idle')
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
  expect(owner.stdout()).toMatch(
    /^revoked ana\nname .*\nana {3}operator {2}operator {2}\S{10} \S{6} {2}never {4}\S{10} \S{6}\n$/,
  )
  await expect(revokeKey(owner.terminal, { name: 'ana', flags: {} })).rejects.toMatchObject({ code: 'key.not-found' })
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

it('creating a viewer key for its own sessions prints a warning that names --owner', async () => {
  const testServer = await openTestServer([])
  const warningFor = async (name: string, flags: { scope?: 'viewer' | 'operator'; owner?: string }) => {
    const { terminal, stderr } = await testServer.openTerminal()
    expect(await createKey(terminal, { name, flags })).toBe(0)
    return stderr()
  }
  const warning = await warningFor('wall', { scope: 'viewer' })
  expect(warning).toContain('this key can only read, and it sees only the sessions of "wall". Use --owner NAME')
  expect(await warningFor('board', { scope: 'viewer', owner: 'operator' })).not.toContain('--owner')
  expect(await warningFor('ben', {})).not.toContain('--owner')
})
