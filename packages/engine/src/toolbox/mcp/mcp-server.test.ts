import { describe, expect, it } from 'vitest'
import { openToolboxWorld, serverFile, stdioServer } from '../testing/toolbox-world.fixture.ts'

const everything = serverFile('server-everything')

describe('an MCP server over stdio', () => {
  it('offers its tools under its name and answers calls', async () => {
    const { toolbox, states, call } = await openToolboxWorld({ tools: () => [stdioServer('everything', [everything])] })
    expect(toolbox.list().map(({ name }) => name)).toContain('mcp__everything__echo')
    expect(states).toEqual([{ name: 'everything', status: 'connected', error: null }])
    expect(await call('mcp__everything__echo', { message: 'hello' })).toEqual({ output: 'Echo: hello', isError: false })
    const image = await call('mcp__everything__get-tiny-image')
    expect(image.images).toMatchObject([{ mediaType: 'image/png' }])
  })
})
