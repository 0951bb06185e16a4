// Tools of an agent file behind the real command: a function that is edited during a session, and an MCP server whose
// token stays secret.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { processesMentioning } from '../support/server/process-tree.ts'
import { checkout, newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { wholeLog } from '../support/server/watched-session.ts'

const everything = join(checkout, 'tools/node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const token = 'made-up-shop-token-4711'

const agent = (backend: string) => `
name: shop-${backend}
backend: ${backend}
model: { provider: simulator, name: claude-sonnet-4-5-20250929 }
instructions: { inline: Be brief. }
claude: { permission_mode: manual }
approvals: { allow: [lookup, 'mcp__everything__*'] }
tools:
  - { name: lookup, type: function, description: State of an order., file: lookup.ts, function: lookup }
  - name: everything
    type: mcp
    description: A bit of everything.
    command: ${process.execPath}
    args: [${everything}]
    env: { SHOP_TOKEN: '\${SHOP_TOKEN}' }
`

const script = `
steps:
  - when: { text: work }
    then:
      tools:
        - { name: mcp__tools__lookup, input: { id: 7 } }
        - { name: mcp__everything__get-env }
  - when: { tool_result: { name: mcp__everything__get-env } }
    then: { text: done }
  - when: { text: again }
    then: { tools: [{ name: mcp__tools__lookup, input: { id: 8 } }] }
  - then: { text: done again }
`

async function writeShop(backend: string): Promise<string> {
  const folder = join(await newFolder('shop'), 'shop')
  await mkdir(folder)
  await writeFile(join(folder, 'agent.yaml'), agent(backend))
  await writeFile(join(folder, 'script.yaml'), script)
  await writeFile(join(folder, 'word.ts'), `export const word: string = 'packed'`)
  const lookup = `import { word } from './word.ts'\nexport const lookup = ({ id }: { id: number }) => id + ' is ' + word`
  await writeFile(join(folder, 'lookup.ts'), lookup)
  return folder
}

async function outputsAfter(served: ServedProcess, sessionId: SessionId, turns: number): Promise<readonly string[]> {
  const ended = async () => (await wholeLog(served, sessionId)).filter(({ type }) => type === 'TurnEnded').length
  await expect.poll(ended).toBe(turns)
  return (await wholeLog(served, sessionId)).flatMap((event) =>
    event.type === 'ToolExecuted' ? [event.data.output] : [],
  )
}

it.each(['claude', 'loop'])(
  'a served agent on %s uses its tools, loads an edited tool, and keeps its token secret',
  async (backend) => {
    const agents = await writeShop(backend)
    const args = ['--watch', '--script', join(agents, 'script.yaml')]
    const served = await serveProcess({ agents, args, env: { SHOP_TOKEN: token, OTHER_SECRET: 'made-up-other' } })
    try {
      const { sessionId } = await served.client.createSession({ agent: `shop-${backend}`, message: 'work' })
      const first = (await outputsAfter(served, sessionId, 1)).join('\n')
      expect(first).toContain('7 is packed')
      expect(first).toContain('SHOP_TOKEN')
      expect(first).not.toContain('OTHER_SECRET')
      // The tool has work to do, so it may ask a question about it.
      expect((await startOf(served, sessionId)).tools).toContain('AskUserQuestion')

      await writeFile(join(agents, 'word.ts'), `export const word: string = 'on its way'`)
      await served.client.sendMessage(sessionId, { content: 'again' })
      expect(await outputsAfter(served, sessionId, 2)).toContain('8 is on its way')
      expect(served.output()).toContain('watching: ')
      await expect.poll(served.output).toContain(`reloaded the functions of shop-${backend}`)
      expect(JSON.stringify(await wholeLog(served, sessionId))).not.toContain(token)
      expect(served.output()).not.toContain(token)
    } finally {
      await served.kill('SIGKILL')
    }
    // A killed server takes its child processes with it.
    await expect.poll(() => processesMentioning(served.dataDir)).toEqual([])
    for (const file of await filesBelow(dirname(served.dataDir))) {
      expect((await readFile(file)).includes(token), file).toBe(false)
    }
  },
)

async function startOf(served: ServedProcess, sessionId: SessionId) {
  const started = (await wholeLog(served, sessionId)).find((event) => event.type === 'AgentSessionStarted')
  return started?.data ?? expect.fail('it did not start')
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
