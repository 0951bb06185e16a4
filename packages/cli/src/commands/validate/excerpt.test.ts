import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { createExcerpts, excerptLines } from './excerpt.ts'

async function excerptOf(line: string, path = ''): Promise<string | null> {
  const { terminal } = await openTestTerminal({ piped: '' })
  const file = join(terminal.cwd, 'agent.yaml')
  await writeFile(file, `name: x\n${line}\n`)
  return createExcerpts()({ file, line: 2, column: 1, path })
}

it('shows the line and marks the column', async () => {
  expect(await excerptOf('  modle: high  ')).toBe('  modle: high')
  const position = { file: '', line: 12, column: 3, path: '' }
  expect(excerptLines('  modle: high', position)).toEqual(['12 |   modle: high', '   |   ^'])
})

it.each([
  'api_key: made-up',
  '  "API_KEY" : made-up',
  'MY_TOKEN: made-up',
  '  headers: { Authorization: made-up }',
  'password: "made-up"',
  'endpoint: https://example.org/made1up2made3up4made5up',
])('hides a line that may hold a secret: %s', async (line) => {
  expect(await excerptOf(line)).toBeNull()
})

it('hides variables and headers of a tool', async () => {
  expect(await excerptOf('  PLACE: harbour', 'tools[0].env.PLACE')).toBeNull()
  expect(await excerptOf('  X-Place: harbour', 'tools[0].headers.X-Place')).toBeNull()
})

it.each(['max_tokens: many', 'budget_tokens: 1', 'working_directory: a/very-long-folder-name-2/of-many-letters-3'])(
  'shows a line that only looks like a secret: %s',
  async (line) => {
    expect(await excerptOf(line)).toBe(line)
  },
)

it('returns nothing for a missing line or file', async () => {
  expect(await excerptOf('')).toBeNull()
  expect(await createExcerpts()({ file: 'nowhere.yaml', line: 1, column: 1, path: '' })).toBeNull()
})

it('does not block on a pipe and does not read very large files', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const pipe = join(terminal.cwd, 'agent.yaml')
  execFileSync('mkfifo', [pipe])
  expect(await createExcerpts()({ file: pipe, line: 1, column: 1, path: '' })).toBeNull()
  const large = join(terminal.cwd, 'large.yaml')
  await writeFile(large, `name: x\n${'#'.repeat(2 * 1024 * 1024)}`)
  expect(await createExcerpts()({ file: large, line: 1, column: 1, path: '' })).toBeNull()
})
