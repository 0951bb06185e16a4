// Tools that the engine runs, called by the real CLI in a session.
import { describe, expect, it } from 'vitest'
import { answersOf, eventsOf, rests } from '../sessions/lifecycle.fixture.ts'
import { openToolHouse } from './testing/tool-house.fixture.ts'
import { functionTool, serverFile, stdioServer } from './testing/toolbox-world.fixture.ts'

const lookup = `
  import { z } from 'zod'
  export const parameters = z.object({ id: z.number() })
  export const lookup = ({ id }: { id: number }, { sessionId }: { sessionId: string }): object => ({ id, sessionId })
`

describe('tools of an agent file on the real CLI', () => {
  it('are offered, called in parallel and answered: a function and a server over stdio', async () => {
    const { house, world } = await openToolHouse({
      files: { 'lookup.ts': lookup },
      tools: (at) => [functionTool(`${at}/lookup.ts`), stdioServer('everything', [serverFile('server-everything')])],
      steps: [
        {
          when: { text: 'work', tools_offered: ['mcp__tools__lookup', 'mcp__everything__get-sum'] },
          then: {
            tools: [
              { name: 'mcp__tools__lookup', input: { id: 7 } },
              { name: 'mcp__everything__get-sum', input: { a: 2, b: 3 } },
            ],
          },
        },
        { then: { text: 'done' } },
      ],
    })
    const { sessionId } = await house.sessions.create({ agent: 'tester', message: 'work' }, 'ana')
    await rests(house, sessionId, 'idle')
    const executed = await eventsOf(house, sessionId, 'ToolExecuted')
    expect(executed.map(({ data }) => data.output).toSorted()).toEqual([
      expect.stringContaining('sum of 2 and 3 is 5'),
      JSON.stringify({ id: 7, sessionId }),
    ])
    expect(world.conversations().at(-1)).toContain('sum of 2 and 3 is 5')
    expect(await answersOf(house, sessionId)).toEqual(['done'])
    const servers = await eventsOf(house, sessionId, 'McpServerStatusChanged')
    expect(servers.map(({ data }) => data)).toContainEqual({ name: 'everything', status: 'connected', error: null })
  })
})
