// Checks that each agent file snippet in docs/how-to/agent-file.md loads as it is.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { validateFiles } from '@quarterdeck/engine'
import { expect, it } from 'vitest'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'

const page = await readFile(new URL('../../../../docs/how-to/agent-file.md', import.meta.url), 'utf8')
const [smallest = '', ...pieces] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)

/** The files that the snippets refer to. */
const referencedFiles = {
  'tools/orders.ts': 'export const lookupOrder = () => ""',
  'notes-server.mjs': '',
  'handbook/page.md': '# Page',
  'products.csv': 'sku,text\n1,pear\n',
  'skills/writing-style/SKILL.md': '---\nname: writing_style\ndescription: How we write.\n---\nBe brief.\n',
}
const env = { NOTES_TOKEN: 'made-up', AUDIT_URL: 'made-up', WORK_OPENAI_KEY: 'made-up' }

it('docs/how-to/agent-file.md shows valid agent files and a valid config.yaml', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const isConfig = (text: string): boolean => text.startsWith('model_source:')
  const files: readonly (readonly [path: string, text: string])[] = [
    ...Object.entries(referencedFiles),
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
  // Each by its own path: together they would be agents with the same name.
  const agents = files.map(([path]) => path).filter((path) => path.endsWith('.agent.yaml'))
  const report = await validateFiles(agents, { cwd, homeDir, env })
  expect(pieces.some(isConfig)).toBe(true)
  expect(report.files).toHaveLength(pieces.length - 1)
  expect(report.files.flatMap(({ errors }) => errors)).toEqual([])
})
