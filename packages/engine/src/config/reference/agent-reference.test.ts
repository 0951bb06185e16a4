import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { agentFileReference } from './agent-reference.ts'
import { agentSchemaText } from './agent-schema.ts'

const page = (name: string): Promise<string> =>
  readFile(new URL(`../../../../../docs/reference/${name}`, import.meta.url), 'utf8')

describe('the reference of the agent file', () => {
  it('matches the schema (otherwise run: npm run build && node scripts/agent-reference.mjs)', async () => {
    expect(await page('agent-file.md')).toBe(agentFileReference())
    expect(await page('agent.schema.json')).toBe(agentSchemaText())
  })

  it('describes every field of the agent file', () => {
    const agentPart = agentFileReference().split('## config.yaml')[0] ?? ''
    const rows = agentPart.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(50)
    expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([])
    expect(rows.filter((row) => row.split('|')[2]?.includes('null'))).toEqual([])
  })
})
