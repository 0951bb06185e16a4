// Any content of a file gives problems with positions, never an exception, and never a value of the environment.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are part of the damage
import { describe, expect, it } from 'vitest'
import { problemCodes } from './problems/problem.ts'
import { madeUpKey, type TempProject, tempProject } from './testing/temp-project.ts'

const base = `name: triage
description: "Sorts \${WHAT:-tickets}"
model:
  provider: anthropic
  name: high
  api_key: \${ANTHROPIC_API_KEY}
instructions:
  inline: |
    Sort the tickets.
    Then rest.
claude:
  permission_mode: acceptEdits
  bash: {enabled: true, excluded_commands: [rm, "git"]}
  file_system: &fs {read: true, write: false}
  agents:
    helper: {description: helps, prompt: Help., tools: [Read]}
limits:
  max_turns: 10
  max_budget_usd: 1.5
  max_duration: 30m
approvals:
  allow: ["Bash(npm test*)"]
  expires_after: never
starters: [One, Two]
tools:
  - {type: mcp, name: notes, command: node, env: {A_TOKEN: "\${ANTHROPIC_API_KEY}"}, timeout: 3}
  - {type: prompt, name: shout, description: Shouts, template: "Say {{word}}", parameters: {word: {type: string}}}
  - {type: hierarchical_document, name: docs, description: d, source: "**/*.md", top_k: 3}
embedding_provider: {provider: local}
response_format: {type: object, properties: {a: {type: string}}}
hooks:
  - {event: PreToolUse, matcher: "no.*", action: reject, message: No}
evaluations: {metrics: [{metric: equality}, {criteria: c, name: n}]}
test_cases:
  - {input: Hi, expected_tools: [notes, {name: docs, args: {query: {regex: "a+"}}}]}
  - turns: [{input: One}, {input: Two, evaluations: [{metric: contains}]}]
execution: {llm_timeout: 5}
`

/** A fixed sequence: a failing test names its seed and can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) % below)
  }
}

const splinters = [
  '\n',
  '  ',
  '\t',
  ':',
  ': ',
  '- ',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '|',
  '>',
  '&a ',
  '*a',
  '*fs',
  '<<: ',
  '!!int ',
  '!x ',
  '? ',
  '#',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '${',
  '${X}',
  '${file:/etc/hostname}',
  '${file:..}',
  '$${',
  '\u0000',
  '\ufeff',
  '\u2028',
  '\ud83d',
  '🙂',
  '~',
  'null',
  'true',
  '-1',
  '1e999',
  '0x7f',
  '.nan',
  '99999999999999999999',
  '__proto__: x\n',
  'constructor: {a: 1}\n',
  'toString: {b: 2}\n',
  '${constructor}',
  '[valueOf]',
  'toString',
  'name: again\n',
  'tools: [1]\n',
  'model: 3\n',
  'claude: [1]\n',
  'instructions: ~\n',
]

function mutate(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1)
  const length = random(12)
  const other = random(text.length + 1)
  switch (random(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length)
    case 1:
      return text.slice(0, at) + (splinters[random(splinters.length)] ?? '') + text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(other, other + length * 4) + text.slice(at)
    case 3:
      return text.slice(0, at) + String.fromCharCode(random(0x2100)) + text.slice(at + 1)
    default: {
      const lines = text.split('\n')
      const [moved = ''] = lines.splice(random(lines.length), 1)
      lines.splice(random(lines.length + 1), 0, '  '.repeat(random(3)) + moved)
      return lines.join('\n')
    }
  }
}

async function expectAnswer(project: TempProject, content: string | Uint8Array): Promise<'agent' | 'problems'> {
  await project.write('agent.yaml', content)
  const { agent, problems, name } = await project.load()
  expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
  for (const problem of problems) {
    expect(problem.line).toBeGreaterThanOrEqual(1)
    expect(problem.column).toBeGreaterThanOrEqual(1)
    expect(problemCodes).toContain(problem.code)
    expect(problem.message).not.toBe('')
    expect(problem.message).not.toContain(madeUpKey)
  }
  if (agent === null) expect(problems.some(({ severity }) => severity === 'error')).toBe(true)
  expect(JSON.stringify(agent)).not.toContain(madeUpKey)
  return agent === null ? 'problems' : 'agent'
}

describe('a randomly damaged agent file', () => {
  it('loads when undamaged', async () => {
    expect(await expectAnswer(await tempProject(), base)).toBe('agent')
  })

  it.each([1, 2, 3, 4])('loads or reports problems with positions (seed %i)', async (seed) => {
    const project = await tempProject()
    const random = randomFrom(seed)
    const seen = { agent: 0, problems: 0 }
    for (let round = 0; round < 250; round += 1) {
      let text = base
      for (let times = 1 + random(6); times > 0; times -= 1) text = mutate(text, random)
      seen[
        await expectAnswer(project, text).catch((cause: unknown) => {
          throw new Error(`seed ${seed}, round ${round}:\n${text}`, { cause })
        })
      ] += 1
    }
    // Both outcomes must occur; otherwise the damage is too small or too large to test anything.
    expect(seen.agent).toBeGreaterThan(0)
    expect(seen.problems).toBeGreaterThan(100)
  })

  it('reports problems for random bytes', async () => {
    const project = await tempProject()
    const random = randomFrom(99)
    for (let round = 0; round < 200; round += 1) {
      const bytes = Uint8Array.from({ length: random(400) }, () => random(round % 2 === 0 ? 256 : 128))
      await expectAnswer(project, bytes)
    }
  })

  it('reports problems when an extended file or a test case file is damaged', async () => {
    const cases = '- {input: Hi, ground_truth: Ho}\n- turns: [{input: a}]\n'
    const rest = base.replace(/^test_cases:\n(?: .*\n)+/m, 'test_cases_file: cases.yaml\n')
    const project = await tempProject({ 'base.yaml': rest, 'cases.yaml': cases })
    const random = randomFrom(11)
    for (let round = 0; round < 200; round += 1) {
      await project.write('base.yaml', round % 2 === 0 ? rest : mutate(mutate(rest, random), random))
      await project.write('cases.yaml', mutate(cases, random))
      await expectAnswer(project, mutate('extends: [base.yaml]\nname: child\nlimits: {max_turns: 3}\n', random))
    }
  })

  it('reports problems when config.yaml is damaged', async () => {
    const project = await tempProject({ 'agent.yaml': base })
    const random = randomFrom(7)
    const config = `model_source: provider
gateway: on
models:
  claude-x:
    price: {input: 1, output: 2, cache_read: 0, cache_write: 1}
providers: {anthropic: {max_tokens: 100}}
vectorstores: {own: {provider: in-memory}}
mcp_servers: [{name: clock, command: node}]
execution: {verbose: true}
`
    for (let round = 0; round < 200; round += 1) {
      let text = config
      for (let times = 1 + random(5); times > 0; times -= 1) text = mutate(text, random)
      await project.write('config.yaml', text)
      await expectAnswer(project, base)
    }
  })
})
