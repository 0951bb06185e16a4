// The NetBox assistant offline and with a NetBox: the question, the number, the cost, and a token that stays in one
// process.
import { cp, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { SessionEvent } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveNetbox } from '../../examples/netbox/offline/netbox-api.mjs'
import { filesBelow, findings, plainCanary } from '../support/server/canary.ts'
import { cliProcesses, processesMentioning } from '../support/server/process-tree.ts'
import { runCommand } from '../support/server/run-command.ts'
import { examples, newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const question = 'How many sites are there?'
const tools = ['netbox_get_objects', 'netbox_get_object_by_id', 'netbox_get_changelogs'].map(
  (name) => `mcp__netbox__${name}`,
)
const example = join(examples, 'netbox')

describe('the NetBox assistant', () => {
  it('answers offline with the number its tool returned, the chosen model and the cost', async () => {
    const { code, stdout, stderr } = await runCommand(['run', example, question])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'There are 24 sites (made-up demo data, no real NetBox).\n' })
    expect(stderr).toMatch(/● netbox · netbox_get_objects \{"object_type":"sites"\}/)
    expect(stderr).toMatch(/simulator \(as claude-haiku-[\w-]+\) · .* · \$0\.0\d/)
  })

  it('does not start with incomplete settings, and explains what to do', async () => {
    const short = 'too-short-a-token'
    const env = { NETBOX_URL: 'https://netbox.invalid', NETBOX_TOKEN: short }
    const { code, stderr } = await runCommand(['run', example, question], { env })
    expect(code).toBe(3)
    expect(stderr).toContain('Invalid NetBox token: NETBOX_TOKEN must have at least 20 characters')
    expect(stderr).not.toContain(short)
  })
})

describe('the NetBox assistant with a NetBox', () => {
  const token = plainCanary('the token of NetBox')
  let netbox: { readonly url: string; readonly server: Server }
  let served: ServedProcess
  let log: readonly SessionEvent[]

  beforeAll(async () => {
    netbox = await serveNetbox({ token: token.secret })
    const agents = join(await newFolder('assistant'), 'netbox')
    await cp(example, agents, { recursive: true })
    await writeFile(join(agents, '.env'), `NETBOX_URL=${netbox.url}\nNETBOX_TOKEN=${token.text}\nLOG_LEVEL=DEBUG\n`)
    served = await serveProcess({ agents, args: ['--model-source', 'simulator', '--verbose'] })
    const { sessionId } = await served.client.createSession({ agent: 'netbox', message: question })
    await watchUntil(served, sessionId, isStatus('idle', 'failed'))
    log = await wholeLog(served, sessionId)
  })
  afterAll(async () => {
    await served?.kill('SIGKILL')
    netbox?.server.close()
  })

  const dataOf = <T extends SessionEvent['type']>(type: T) =>
    log.flatMap((event) => (event.type === type ? [event.data as Extract<SessionEvent, { type: T }>['data']] : []))

  it('queries only that NetBox, with one of its three tools', () => {
    expect(dataOf('AgentSessionStarted')[0]?.tools.toSorted()).toEqual(tools.toSorted())
    expect(dataOf('ApprovalRequested')).toEqual([])
    expect(dataOf('AgentInvokedTool')).toMatchObject([{ toolName: tools[0], toolInput: { object_type: 'sites' } }])
    const [{ output, isError } = { output: '', isError: true }] = dataOf('ToolExecuted')
    expect({ isError, count: JSON.parse(output).count }).toEqual({ isError: false, count: 24 })
    expect(dataOf('AgentThought').map(({ text }) => text)).toContain('There are 24 sites.')
    expect(dataOf('ModelChosen')).toMatchObject([{ model: expect.stringContaining('haiku'), rule: 'short-question' }])
  })

  it('has a card with starters, and its session shows its cost', async () => {
    const { agents } = await served.client.listAgents()
    expect(agents).toMatchObject([{ name: 'netbox', problems: [], starters: expect.arrayContaining([question]) }])
    const { sessions } = await served.client.listSessions()
    expect(sessions[0]?.costUsd).toBeGreaterThan(0)
  })

  it('keeps its token in that one process: in no other environment, event, log or file', async () => {
    const holders = await processesMentioning(token.secret)
    expect(holders.length).toBeGreaterThan(0)
    // The sandbox wrappers have the command line of the process they start.
    expect(holders.filter((line) => !line.includes('server.ts'))).toEqual([])
    expect((await cliProcesses(served.dataDir)).length).toBeGreaterThan(0)
    expect(JSON.stringify(log)).not.toContain(token.secret)
    await served.kill('SIGTERM')
    // Its child processes may outlive it for a moment and still write.
    await expect.poll(() => processesMentioning(token.secret)).toEqual([])
    await expect.poll(() => processesMentioning(served.dataDir)).toEqual([])
    expect(served.output()).not.toContain(token.secret)
    const files = await filesBelow(served.dataDir)
    expect(findings([token], files)).toEqual([])
    const witness = { ...token, secret: 'netbox_get_objects' }
    expect(findings([witness], files).length).toBeGreaterThan(0)
  })
})
