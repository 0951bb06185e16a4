import { describe, expect, it } from 'vitest'
import { functionTool, openToolboxWorld } from './testing/toolbox-world.fixture.ts'

const open = (source: string, change: Parameters<typeof functionTool>[1] = {}) =>
  openToolboxWorld({ files: { 'lookup.ts': source }, tools: (at) => [functionTool(`${at}/lookup.ts`, change)] })

const name = 'mcp__tools__lookup'

describe('a function tool', () => {
  it('is a TypeScript module that takes what its zod schema says, and imports its neighbours', async () => {
    const { toolbox, call } = await openToolboxWorld({
      files: {
        'lookup.ts': `
          import { z } from 'zod'
          import { twice } from './twice.js'
          export const parameters = z.object({ count: z.number().default(2) })
          export async function lookup({ count }: { count: number }): Promise<object> { return { twice: twice(count) } }
        `,
        'twice.ts': 'export const twice = (count: number): number => count * 2',
      },
      tools: (at) => [functionTool(`${at}/lookup.ts`)],
    })
    expect(toolbox.list()).toMatchObject([
      { name, description: 'looks something up', inputSchema: { properties: { count: { type: 'number' } } } },
    ])
    expect(await call(name)).toEqual({ output: '{"twice":4}', isError: false })
    expect(await call(name, { count: 4 })).toEqual({ output: '{"twice":8}', isError: false })
    const refused = await call(name, { count: 'four' })
    expect(refused.isError).toBe(true)
    expect(refused.output).toContain('count')
  })

  it('may be JavaScript with a JSON Schema in the agent file', async () => {
    const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
    const { call } = await openToolboxWorld({
      files: { 'lookup.mjs': 'export const lookup = ({ id }) => `order ${id}`' },
      tools: (at) => [functionTool(`${at}/lookup.mjs`, { parameters })],
    })
    expect(await call(name, { id: 7 })).toEqual({ output: 'order 7', isError: false })
    expect((await call(name, {})).output).toContain("must have required property 'id'")
  })
})
