// docs/guide/agent-file.md shows pieces of agent files: each of them loads as it stands.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { validateFiles } from '@quarterdeck/engine'
import { expect, it } from 'vitest'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'

const page = await readFile(new URL('../../../../docs/guide/agent-file.md', import.meta.url), 'utf8')
const [smallest = '', ...pieces] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)

/** What the pieces speak of. */
const around = {
  'tools/orders.ts': 'export const lookupOrder = () => ""',
  'notes-server.mjs': '',
  'handbook/page.md': '# Page',
  'products.csv': 'sku,text\n1,pear\n',
  'skills/house-style/SKILL.md': '---\nname: house_style\ndescription: How we write.\n---\nBe brief.\n',
}
const env = { NOTES_TOKEN: 'made-up', AUDIT_URL: 'made-up', WORK_OPENAI_KEY: 'made-up' }

it('shows agent files and a config.yaml that are valid', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const isConfig = (text: string): boolean => text.startsWith('model_source:')
  const files: readonly (readonly [path: string, text: string])[] = [
    ...Object.entries(around),
    ...pieces.map(
      (text, at) =>
        [isConfig(text) ? 'config.yaml' : `${at}.agent.yaml`, isConfig(text) ? text : smallest + text] as const,
    ),
  ]
  for (const [path, text] of files) {
    await mkdir(dirname(join(terminal.cwd, path)), { recursive: true })
    await writeFile(join(terminal.cwd, path), text)
  }
  const { cwd, homeDir } = terminal
  // Each by its own path: together they would be agents of one name.
  const agents = files.map(([path]) => path).filter((path) => path.endsWith('.agent.yaml'))
  const report = await validateFiles(agents, { cwd, homeDir, env })
  expect(pieces.some(isConfig)).toBe(true)
  expect(report.files).toHaveLength(pieces.length - 1)
  expect(report.files.flatMap(({ errors }) => errors)).toEqual([])
})
