import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openToolboxHarness, stdioServer } from '../testing/toolbox-harness.fixture.ts'

const server = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'
import { shout } from './shout.js'

interface Said { readonly word: string }
const server = new McpServer({ name: 'typed', version: '1.0.0' })
server.registerTool('say', { inputSchema: { word: z.string() } }, async ({ word }: Said) => ({
  content: [{ type: 'text' as const, text: shout(word) }],
}))
await server.connect(new StdioServerTransport())
`

it('runs a TypeScript server like any program, with the SDK of the engine if its project has none', async () => {
  const { call, toolbox } = await openToolboxHarness({
    files: { 'server.ts': server, 'shout.ts': `export const shout = (word: string): string => word.toUpperCase()` },
    tools: (project) => [stdioServer('typed', ['--max-old-space-size=200', join(project, 'server.ts')])],
  })
  expect(toolbox.list().map(({ name }) => name)).toEqual(['mcp__typed__say'])
  expect(await call('mcp__typed__say', { word: 'ahoy' })).toEqual({ output: 'AHOY', isError: false })
})

it('reports the position of an error in a TypeScript server', async () => {
  const files = { 'server.ts': 'const word: string = "ahoy"\nconst word = 2\n' }
  const opened = openToolboxHarness({ files, tools: (project) => [stdioServer('typed', [join(project, 'server.ts')])] })
  await expect(opened).rejects.toThrow(
    /"typed" cannot be started.*exit code 1.*(?:already been declared|server\.ts:2)/s,
  )
})
