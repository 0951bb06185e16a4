import { rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../app/app.fixture.ts'
import { noIsolation } from '../runtime/runtime.fixture.ts'

const agentFile = (name: string, more: string) => `name: ${name}
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true } }
${more}`
const withRule = agentFile('hello', 'approvals: { allow: ["Bash(ls:*)"] }\n')

async function open(why = noIsolation.why) {
  const app = await openTestApp([], { runtime: { isolation: async () => ({ ...noIsolation, why }) } })
  onTestFinished(app.close)
  const { file } = await app.runtime.engine.agents.load('hello')
  const inbox = async (headers = {}) => (await (await app.call('/v1/inbox', { headers })).json()).agentChanges
  const rules = async () => (await app.runtime.engine.agents.load('hello')).approvals.allow.length
  const decide = (body: object) => app.call('/v1/agents/hello/change', { method: 'POST', body })
  return { ...app, file, inbox, rules, decide }
}

it('keeps the accepted version of a changed agent file until an admin accepts the change', async () => {
  const { file, inbox, rules, decide, runtime } = await open()
  expect(await inbox()).toEqual([])
  await writeFile(file, withRule)
  const [change] = await inbox()
  expect(change).toMatchObject({ agentName: 'hello', added: ['the allow rule Bash(ls:*)'], isNew: false })
  expect(await rules()).toBe(0)
  expect((await decide({ version: 'another', decision: 'accept' })).status).toBe(404)
  expect((await decide({ version: change.version, decision: 'accept' })).status).toBe(200)
  expect([await rules(), await inbox()]).toEqual([1, []])
  const entries = (await runtime.engine.sessions.readAudit({ after: 0, limit: 100 })).entries
  expect(entries.find(({ action }) => action === 'agent.change-accepted')).toMatchObject({
    subject: 'hello',
    detail: { version: change.version, added: ['the allow rule Bash(ls:*)'] },
  })
})

it('keeps the accepted version after a rejection, and asks again when the file is saved again', async () => {
  const { file, inbox, rules, decide, runtime } = await open()
  await writeFile(file, withRule)
  const [{ version }] = await inbox()
  expect((await decide({ version, decision: 'reject' })).status).toBe(200)
  expect([await rules(), await inbox()]).toEqual([0, []])
  expect((await decide({ version, decision: 'accept' })).status).toBe(404)
  expect(
    (await runtime.engine.sessions.readAudit({ after: 0, limit: 100 })).entries.map(({ action }) => action),
  ).toContain('agent.change-rejected')
  await writeFile(file, agentFile('hello', 'approvals: { allow: ["Bash(cat:*)"] }\n'))
  expect(await inbox()).toMatchObject([{ added: ['the allow rule Bash(cat:*)'] }])
})

it.each([
  ['acceptEdits', '', 'the permission mode acceptEdits'],
  ['manual', 'approvals: { deny: [] }\n', 'a removed deny rule: Bash(rm:*)'],
])('holds back a wider permission: mode %s, %j', async (mode, more, added) => {
  const { file, inbox, runtime } = await open()
  const denying = 'approvals: { deny: ["Bash(rm:*)"] }\n'
  await writeFile(file, agentFile('hello', denying))
  await runtime.engine.agents.load('hello')
  await writeFile(file, agentFile('hello', more || denying).replace('manual', mode))
  expect(await inbox()).toMatchObject([{ added: [added] }])
})

it('refuses a new agent with a shell until it is accepted', async () => {
  const { file, inbox, call } = await open()
  await writeFile(`${dirname(file)}/late.agent.yaml`, agentFile('late', ''))
  const create = () => call('/v1/sessions', { method: 'POST', body: { agent: 'late' } })
  const refused = await create()
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'agent.unconfirmed'])
  const [{ version }] = await inbox()
  await call('/v1/agents/late/change', { method: 'POST', body: { version, decision: 'accept' } })
  expect((await create()).status).toBe(201)
})

it('refuses a new agent with a shell in the workspace of another agent, even where agents are isolated', async () => {
  const { file, inbox, call } = await open(null)
  await writeFile(`${dirname(file)}/late.agent.yaml`, agentFile('late', ''))
  const refused = await call('/v1/sessions', { method: 'POST', body: { agent: 'late' } })
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'agent.unconfirmed'])
  expect(await inbox()).toMatchObject([{ agentName: 'late', isNew: true }])
})

it('keeps the agent of a name when another agent creates a file with that name', async () => {
  const { file, inbox, runtime } = await open(null)
  const intruder = `${dirname(file)}/a.agent.yaml`
  await writeFile(intruder, withRule)
  expect((await runtime.engine.agents.load('hello')).file).toBe(file)
  await rm(file)
  expect((await runtime.engine.agents.load('hello')).file).toBe(file)
  expect(await inbox()).toMatchObject([{ agentName: 'hello', isNew: true }])
})

it('holds back a new file without programs, and each change of it', async () => {
  const { file, inbox, call, runtime } = await open(null)
  const harmless = agentFile('late', '').replace('bash: { enabled: true }', 'bash: { enabled: false }')
  const late = `${dirname(file)}/late.agent.yaml`
  await writeFile(late, harmless)
  const [{ version, added }] = await inbox()
  expect(added).toEqual(['no programs or permissions'])
  await call('/v1/agents/late/change', { method: 'POST', body: { version, decision: 'accept' } })
  expect(await inbox()).toEqual([])
  const secretTool =
    'tools: [{ type: mcp, name: out, description: Out, transport: http, url: "http://127.0.0.1:9/mcp", headers: { x-key: a } }]\n'
  await writeFile(late, `${harmless}${secretTool}`)
  expect((await runtime.engine.agents.load('late')).tools).toEqual([])
  expect(await inbox()).toMatchObject([{ added: ['the MCP server out at http://127.0.0.1:9/mcp (headers: x-key)'] }])
})

it('shows changes to admins only, and accepts decisions only from them', async () => {
  const { file, inbox, call, runtime } = await open()
  await writeFile(file, withRule)
  const [{ version }] = await inbox()
  const { token } = await runtime.engine.keys.createKey({ name: 'worker', scope: 'operator' }, 'operator')
  const headers = { authorization: `Bearer ${token}` }
  expect(await inbox(headers)).toBeUndefined()
  const body = { version, decision: 'accept' }
  expect((await call('/v1/agents/hello/change', { method: 'POST', body, headers })).status).toBe(403)
})

it('applies a change that grants nothing at once, and every change where agents are isolated', async () => {
  const unisolated = await open()
  await writeFile(unisolated.file, agentFile('hello', 'description: Another word.\n'))
  expect((await unisolated.runtime.engine.agents.load('hello')).description).toBe('Another word.')
  const isolated = await open(null)
  await writeFile(isolated.file, withRule)
  expect([await isolated.rules(), await isolated.inbox()]).toEqual([1, []])
})
