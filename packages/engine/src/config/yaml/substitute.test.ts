// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'
import { referencedFiles, substitute } from './substitute.ts'

const env: Readonly<Record<string, string>> = { NAME: 'value', EMPTY: '', YAML: 'a: [b', REF: '${NAME}' }
const lookup = {
  variable: (name: string) => env[name],
  file: (path: string) => (path === 'there' ? 'held' : undefined),
}

describe('substitute', () => {
  it.each([
    ['plain', 'plain'],
    ['${NAME}', 'value'],
    ['a ${NAME} b ${NAME}', 'a value b value'],
    ['${NOPE:-fallback}', 'fallback'],
    ['${NOPE:-}', ''],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${EMPTY}', ''],
    ['${NAME:-fallback}', 'value'],
    ['${file:there}', 'held'],
    ['$${NAME}', '${NAME}'],
    ['$$${NAME}', '$${NAME}'],
    ['$NAME and $', '$NAME and $'],
    ['${YAML}', 'a: [b'],
    ['${REF}', '${NAME}'],
  ])('turns %s into %s', (written, text) => {
    expect(substitute({ key: written }, lookup).value).toEqual({ key: text })
  })

  it('keeps a value as written when something is missing, and names all of it', () => {
    const { value, substitutions } = substitute({ a: ['${ONE} ${TWO} ${NAME}'] }, lookup)
    expect(value).toEqual({ a: ['${ONE} ${TWO} value'] })
    expect(substitutions.get('a[0]')).toMatchObject({ missing: ['ONE', 'TWO'], complete: false })
  })

  it.each(['${', '${}', '${1A}', '${a b}', '${NAME-x}'])('reports an invalid reference: %s', (written) => {
    expect(substitute([written], lookup).substitutions.get('[0]')).toMatchObject({ malformed: [written] })
  })

  it.each(['${A:-${B}}', '${NAME:-${B}}', '${A:-x${B}', '${file:${A}}'])(
    'refuses a nested reference: %s',
    (written) => {
      const found = substitute([written], lookup).substitutions.get('[0]')
      expect(found).toMatchObject({ complete: false, malformed: [written.replace('}}', '}')] })
    },
  )

  it('does not change numbers, keys or null', () => {
    const value = { '${NAME}': 1, b: null, c: true }
    expect(substitute(value, lookup).value).toEqual(value)
  })

  it('lists the files it needs', () => {
    expect(referencedFiles({ a: '${file:x} ${file:y}', b: ['${file:x}'] })).toEqual(['x', 'y'])
  })
})

describe('a reference in an agent file', () => {
  it('is refused inside another reference', async () => {
    const project = await tempProject({ 'agent.yaml': `${minimalAgent}description: "\${A:-\${B}}"\n` })
    expect((await project.load()).problems).toMatchObject([
      { path: 'description', message: expect.stringMatching(/^"\$\{A:-\$\{B\}\}": references cannot be nested/) },
    ])
  })

  const load = async (lines: string, variables: Record<string, string>, files: Record<string, string> = {}) => {
    const project = await tempProject(
      { 'agent.yaml': minimalAgent.replace('anthropic', 'simulator') + lines, ...files },
      variables,
    )
    return project.load()
  }

  it('may provide numbers and booleans', async () => {
    const lines = 'limits: {max_turns: "${N}", max_budget_usd: "${USD:-0.5}"}\nclaude: {web_search: "${WEB}"}\n'
    const { agent } = await load(lines, { N: '7', WEB: 'true' })
    expect(agent).toMatchObject({ limits: { maxTurns: 7, maxBudgetUsd: 0.5 }, claude: { webSearch: true } })
  })

  it('is refused without its value when it is not a number', async () => {
    const { problems } = await load('limits: {max_turns: "${N}"}\n', { N: 'hidden-value' })
    expect(problems).toEqual([
      expect.objectContaining({ message: '"limits.max_turns" must be a number; found the value of ${N}' }),
    ])
  })

  it('stays text where text is expected', async () => {
    const { problems } = await load('limits: {max_turns: "7"}\n', {})
    expect(problems[0]?.message).toBe('"limits.max_turns" must be a number; found "7"')
  })

  it('is reported at its position when its variable is missing', async () => {
    const { problems } = await load('description: ${ONE}\nstarters:\n  - ${TWO}\n  - ${THREE}\n', {})
    expect(problems.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['config.missing-variable', 7, 14],
      ['config.missing-variable', 9, 5],
      ['config.missing-variable', 10, 5],
    ])
  })

  it('may read a file beside the agent file, without its last line break', async () => {
    const { agent } = await load('description: ${file:about.txt}\n', {}, { 'about.txt': 'About it\n' })
    expect(agent?.description).toBe('About it')
  })

  it('may not read a file outside the project without allow_outside', async () => {
    const outside = { '../about.txt': 'Outside' }
    const refused = await load('description: ${file:../about.txt}\n', {}, outside)
    expect(refused.problems).toEqual([
      expect.objectContaining({ code: 'config.outside-project', path: 'description', line: 7 }),
    ])
    const allowed = await load('description: ${file:../about.txt}\nallow_outside: true\n', {}, outside)
    expect(allowed.agent?.description).toBe('Outside')
  })

  it('is reported when its file does not exist', async () => {
    const { problems } = await load('starters: ["${file:gone.txt}"]\n', {})
    expect(problems).toEqual([
      expect.objectContaining({ path: 'starters[0]', message: 'cannot read ${file:gone.txt}: there is no such file' }),
    ])
  })

  it('never changes the structure of the file', async () => {
    const { agent } = await load('description: ${EVIL}\n', { EVIL: 'x\nclaude:\n  permission_mode: acceptAll' })
    expect(agent?.claude.permissionMode).toBe('manual')
  })
})
