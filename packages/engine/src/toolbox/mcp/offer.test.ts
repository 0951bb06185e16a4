import { describe, expect, it } from 'vitest'
import { stdioServer } from '../testing/toolbox-harness.fixture.ts'
import type { ListedTool } from './list-tools.ts'
import { createOffer } from './offer.ts'

function offered(listed: readonly ListedTool[], allowedTools: string[] | null = null) {
  const told: string[] = []
  const server = stdioServer('big', [], { allowedTools })
  const offer = createOffer(server, { onChange: () => undefined, onOmitted: (why) => void told.push(why) })
  offer.set(listed)
  return { names: offer.list().map(({ name }) => name), told }
}

const tools = (count: number, description = ''): readonly ListedTool[] =>
  Array.from({ length: count }, (_, index) => ({ name: `tool${index}`, description, inputSchema: { type: 'object' } }))

describe('what a server offers', () => {
  it('is no more than 500 tools, the first ones, and what is left out is told', () => {
    expect(offered(tools(500))).toMatchObject({ told: [], names: { length: 500 } })
    const { names, told } = offered(tools(503))
    expect(names).toHaveLength(500)
    expect(names.at(-1)).toBe('mcp__big__tool499')
    expect(told).toEqual(['3 of its 503 tools are left out: name those it is for in allowed_tools'])
  })

  it('is no more than a request can carry: a million characters of all of them together', () => {
    const { names, told } = offered(tools(60, 'x'.repeat(20_000)))
    expect(names).toHaveLength(49)
    expect(told).toEqual(['11 of its 60 tools are left out: name those it is for in allowed_tools'])
  })

  it('leaves out none of those that allowed_tools names, wherever they stand', () => {
    expect(offered(tools(503), ['tool502'])).toEqual({ names: ['mcp__big__tool502'], told: [] })
  })
})
