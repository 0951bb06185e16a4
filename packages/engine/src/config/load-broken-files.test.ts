// Files with one mistake each. The first line of each file states the expected position, code, message and suggestion.
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadAgent } from './load-agent.ts'
import { type ConfigProblem, isError, problemCodes } from './problems/problem.ts'
import { madeUpKey } from './testing/temp-project.ts'

const folder = fileURLToPath(new URL('./testing/broken/', import.meta.url))
const files = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.yaml') && !name.startsWith('parts'))
  .toSorted()
const options = {
  env: { ANTHROPIC_API_KEY: madeUpKey, MADE_UP_KEY: madeUpKey },
  homeDir: join(tmpdir(), 'nobody-lives-here'),
  cwd: folder,
}

/** `3:7 config.invalid "a" must be b. Did you mean "c"?`, preceded by the file if it is another one. */
function inOneLine(problem: ConfigProblem, file: string): string {
  const elsewhere = basename(problem.file) === basename(file) ? '' : `${relative(folder, problem.file)}:`
  const suggestion = problem.suggestion === undefined ? '' : `. Did you mean "${problem.suggestion}"?`
  return `${elsewhere}${problem.line}:${problem.column} ${problem.code} ${problem.message}${suggestion}`
}

describe('a broken agent file', () => {
  it('has more than forty samples', () => {
    expect(files.length).toBeGreaterThanOrEqual(40)
  })

  it.each(files)('%s reports exactly its mistake', async (file) => {
    const text = await readFile(join(folder, file), 'utf8')
    const expected = /^# expect: (?<line>.+)$/m.exec(text)?.groups?.line
    const { agent, problems } = await loadAgent(join(folder, file), options)
    expect(agent).toBeNull()
    expect(problems.filter(isError).map((problem) => inOneLine(problem, file))).toEqual([expected])
  })

  it('has a sample for every error code', async () => {
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    const onlyWarnings = [
      'config.unsafe',
      'config.no-effect',
      'config.collision',
      'config.hint',
      'config.duplicate-name',
    ]
    for (const code of problemCodes.filter((one) => !onlyWarnings.includes(one))) {
      expect([code, texts.some((text) => text.split('\n')[0]?.includes(` ${code} `))]).toEqual([code, true])
    }
  })
})
