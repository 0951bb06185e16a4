import { describe, expect, it } from 'vitest'
import { stdioServer } from '../testing/toolbox-harness.fixture.ts'
import type { ListedTool } from './list-tools.ts'
import { createOffer } from './offer.ts'

function offered(listed: readonly ListedTool[], allowedTools: string[] | null = null) {
  const omitted: string[] = []
  const server = stdioServer('big', [], { allowedTools })
  const offer = createOffer(server, { onChange: () => undefined, onOmitted: (why) => void omitted.push(why) })
  offer.set(listed)
  return { names: offer.list().map(({ name }) => name), omitted }
}

const tools = (count: number, description = ''): readonly ListedTool[] =>
  Array.from({ length: count }, (_, index) => ({ name: `tool${index}`, description, inputSchema: { type: 'object' } }))

describe('the offer of a server', () => {
  it('has at most the first 500 tools, and the others are reported', () => {
    expect(offered(tools(500))).toMatchObject({ omitted: [], names: { length: 500 } })
    const { names, omitted } = offered(tools(503))
    expect(names).toHaveLength(500)
    expect(names.at(-1)).toBe('mcp__big__tool499')
    expect(omitted).toEqual(['3 of its 503 tools are left out: list the ones you need in allowed_tools'])
  })

  it('fits into a request: at most a million characters in total', () => {
    const { names, omitted } = offered(tools(60, 'x'.repeat(20_000)))
    expect(names).toHaveLength(49)
    expect(omitted).toEqual(['11 of its 60 tools are left out: list the ones you need in allowed_tools'])
  })

  it('always includes the tools that allowed_tools names', () => {
    expect(offered(tools(503), ['tool502'])).toEqual({ names: ['mcp__big__tool502'], omitted: [] })
  })
})
