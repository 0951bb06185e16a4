// The code blocks of the guide are copies of the examples, which run in e2e/.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const guide = fileURLToPath(new URL('../../../docs/how-to/client.md', import.meta.url))

it('shows code that is in the examples, word by word', async () => {
  const text = await readFile(guide, 'utf8')
  const shown = [...text.matchAll(/^From \[[^\]]+\]\(([^)]+)\):\n\n```\w+\n([\s\S]*?)^```$/gm)]
  expect(shown.length).toBe(7)
  for (const [, file = '', code = ''] of shown) {
    expect(await readFile(join(dirname(guide), file), 'utf8')).toContain(code)
  }
})
