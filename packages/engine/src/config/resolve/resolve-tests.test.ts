// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { formatProblem, isError } from '../problems/problem.ts'
import { tempProject } from '../testing/temp-project.ts'

const simulated = 'name: a\nmodel: {provider: simulator}\ninstructions: {inline: Hi}\n'

async function load(files: Record<string, string>, env: Record<string, string> = {}) {
  const project = await tempProject(files, env)
  const loaded = await project.load()
  return { ...loaded, project, lines: loaded.problems.map((problem) => formatProblem(problem, project.folder)) }
}

const withCases = (lines: string) => load({ 'agent.yaml': `${simulated}test_cases:\n${lines}` })

describe('test cases', () => {
  it('may be in a separate file, as a list or below test_cases', async () => {
    for (const cases of [
      '- {input: "Hi ${WHO}", ground_truth: Hello}\n',
      'test_cases: [{input: "Hi ${WHO}", ground_truth: Hello}]\n',
      '[{"input": "Hi ${WHO}", "ground_truth": "Hello"}]',
    ]) {
      const { tests, lines } = await load(
        { 'agent.yaml': `${simulated}test_cases_file: tests/cases.yaml\n`, 'tests/cases.yaml': cases },
        { WHO: 'you' },
      )
      expect(lines).toEqual([])
      expect(tests?.cases).toMatchObject([{ name: 'case 1', turns: [{ input: 'Hi you', groundTruth: 'Hello' }] }])
    }
  })

  it('resolve file paths relative to the file that contains them', async () => {
    const { tests, project } = await load({
      'agent.yaml': `${simulated}test_cases_file: tests/cases.yaml\n`,
      'tests/cases.yaml': '- {input: Hi, files: [{path: note.txt, type: text}]}\n',
    })
    expect(tests?.cases[0]?.turns[0]?.files).toMatchObject([{ path: project.path('tests/note.txt') }])
  })

  it.each([
    [
      'both',
      `${simulated}test_cases: [{input: a}]\ntest_cases_file: c.yaml\n`,
      'agent.yaml:5:18 error: "test_cases_file" and "test_cases" cannot both be set: keep all cases in one of them',
    ],
    [
      'a missing file',
      `${simulated}test_cases_file: gone.yaml\n`,
      'agent.yaml:4:18 error: "test_cases_file": cannot use gone.yaml: there is no such file',
    ],
    [
      'a file outside the project',
      `${simulated}test_cases_file: ../c.yaml\n`,
      'agent.yaml:4:18 error: "test_cases_file" leaves the project folder: move it inside, or set allow_outside: true',
    ],
    [
      'a file without cases',
      `${simulated}test_cases_file: other.yaml\n`,
      'other.yaml:1:1 error: the file must be a list of test cases, or a map with "test_cases"',
    ],
  ])('refuse %s', async (_, text, line) => {
    const { agent, lines } = await load({ 'agent.yaml': text, 'c.yaml': '- {input: a}\n', 'other.yaml': 'cases: []\n' })
    expect(agent).toBeNull()
    expect(lines).toEqual([line])
  })

  it('are limited to a thousand, with ten files each', async () => {
    const many = (count: number) => withCases('  - {input: a}\n'.repeat(count))
    expect((await many(1000)).tests?.cases).toHaveLength(1000)
    expect((await many(1001)).lines).toEqual([expect.stringContaining('"test_cases" must have at most 1000 entries')])
    const files = `[${'{path: a, type: text},'.repeat(11)}]`
    expect((await withCases(`  - {input: a, files: ${files}}\n`)).lines).toEqual([
      expect.stringContaining('"test_cases[0].files" must have at most 10 entries'),
    ])
  })

  it('report every mistake at once with its position', async () => {
    const { lines } = await withCases(`  - {input: 5}
  - {name: empty}
  - {input: a, turns: [{input: b}], ground_truth: c}
  - {turns: []}
  - {turns: [{ground_truth: c}]}
  - {input: a, expected_tools: [{nam: x}]}
  - {input: a, evaluations: [{metric: equalty}]}
`)
    expect(lines).toEqual([
      'agent.yaml:5:13 error: "test_cases[0].input" must be text; found 5: put it in quotes',
      'agent.yaml:6:5 error: test case "empty" must have either "input" or "turns"',
      'agent.yaml:7:6 error: "test_cases[2].input" cannot be used with "turns": set it on each turn',
      'agent.yaml:7:37 error: "test_cases[2].ground_truth" cannot be used with "turns": set it on each turn',
      'agent.yaml:8:13 error: "test_cases[3].turns" must have at least 1 entry; found a list',
      'agent.yaml:9:14 error: "test_cases[4].turns[0].input" is missing',
      'agent.yaml:10:33 error: "test_cases[5].expected_tools[0].name" is missing',
      'agent.yaml:10:34 error: unknown key "nam" in "test_cases[5].expected_tools[0]". Did you mean "name"?',
      'agent.yaml:11:39 error: "test_cases[6].evaluations[0].metric" must be one of groundedness, relevance, coherence, fluency, bleu, rouge, meteor, equality, contains, numeric; found "equalty". Did you mean "equality"?',
    ])
  })
})

describe('expected tools', () => {
  const pick = 'tools: [{type: client, name: pick_one, description: d}]\n'
  const cases = `test_cases:
  - {input: a, expected_tools: [zzz, pick]}
  - {turns: [{input: b, expected_tools: [{name: pick_on}, {name: pick_oen}, Read]}]}
`

  it('cause a warning when no tool matches', async () => {
    const { agent, lines } = await load({ 'agent.yaml': simulated + pick + cases })
    expect(agent).not.toBeNull()
    expect(lines).toEqual([
      'agent.yaml:6:33 warning: no tool of this agent has "zzz" in its name: the case cannot pass',
      'agent.yaml:7:66 warning: no tool of this agent has "pick_oen" in its name: the case cannot pass. Did you mean "pick_one"?',
      'agent.yaml:7:77 warning: no tool of this agent has "Read" in its name (it is disabled): the case cannot pass',
    ])
  })

  it('cause no warning when the agent has an MCP server', async () => {
    const server = 'tools: [{type: mcp, name: notes, command: node}]\n'
    expect((await load({ 'agent.yaml': simulated + server + cases })).lines).toEqual([])
  })
})

describe('metrics', () => {
  it('may omit their type when their fields imply it', async () => {
    const { tests, problems } = await load({
      'agent.yaml': `${simulated}evaluations:
  metrics: [{metric: bleu}, {name: kind, criteria: Is it kind?}, {metric_type: faithfulness}, {grader: "a:b"}]
`,
    })
    expect(problems.filter(isError)).toEqual([])
    expect(tests?.metrics?.map(({ name }) => name)).toEqual(['bleu', 'geval kind', 'rag faithfulness', 'code a:b'])
  })

  it('without a type or such fields report the missing type', async () => {
    const { lines } = await load({ 'agent.yaml': `${simulated}evaluations: {metrics: [{threshold: 1}]}\n` })
    expect(lines).toEqual(['agent.yaml:4:25 error: "evaluations.metrics[0].type" is missing'])
  })

  it('warn about keys without an effect', async () => {
    const { problems } = await load({
      'agent.yaml': `${simulated}evaluations:
  metrics:
    - {metric: equality, absolute_tolerance: 1, scale: 5, model: {provider: openai, name: gpt-5}}
    - {metric: numeric, case_insensitive: true}
    - {metric: relevance, strip_punctuation: true}
`,
    })
    expect(problems.filter(isError)).toEqual([])
    const idle = problems.filter(({ code }) => code === 'config.no-effect')
    expect(idle.map(({ path }) => path).toSorted()).toEqual([
      'evaluations.metrics[0].absolute_tolerance',
      'evaluations.metrics[0].model',
      'evaluations.metrics[0].scale',
      'evaluations.metrics[1].case_insensitive',
      'evaluations.metrics[2].strip_punctuation',
    ])
  })

  it.each(['a', 'a.b', 'a[0]', 'a.b[0].c', '[0].a', 'a-b'])('accept the response_path %s', async (path) => {
    const { lines } = await load({
      'agent.yaml': `${simulated}evaluations: {metrics: [{metric: equality, response_path: "${path}"}]}\n`,
    })
    expect(lines).toEqual([])
  })

  it.each(['.a', 'a.', 'a[', 'a[x]', 'a b', '$.a'])('refuse the response_path %s', async (path) => {
    const { lines } = await load({
      'agent.yaml': `${simulated}evaluations: {metrics: [{metric: equality, response_path: "${path}"}]}\n`,
    })
    expect(lines).toHaveLength(1)
  })

  it('warn that turn_config has no effect yet', async () => {
    const { agent, lines } = await withCases('  - turns: [{input: Hi, turn_config: {strict: true}}]\n')
    expect(agent).not.toBeNull()
    expect(lines).toEqual([
      'agent.yaml:5:25 warning: "test_cases[0].turns[0].turn_config" has no effect: code graders are not supported yet',
    ])
  })

  it('of a judge need no key at load time', async () => {
    const { agent, problems } = await load({
      'agent.yaml': `${simulated}evaluations:
  model: {provider: openai, name: gpt-5, api_key: "\${NOBODY_SET_IT}"}
  metrics: [{metric: relevance, model: {provider: openai, name: gpt-5, api_key: "\${NOR_THIS}"}}]
`,
    })
    expect(problems.filter(isError)).toEqual([])
    expect(agent).not.toBeNull()
  })

  it('that are unsupported cause a warning where they apply', async () => {
    const { agent, lines } = await load({
      'agent.yaml': `${simulated}evaluations:
  metrics: [{metric: rouge}, {metric: bleu, enabled: false}, {metric: equality}]
test_cases:
  - {input: a, evaluations: [{metric: contains}]}
  - turns:
      - {input: b, evaluations: [{metric_type: faithfulness}]}
      - {input: c}
      - {input: d, files: [{path: agent.yaml, type: pdf}]}
`,
    })
    expect(agent).not.toBeNull()
    expect(lines).toEqual([
      'agent.yaml:5:13 warning: not supported yet: metric rouge; "quarterdeck test" refuses it',
      'agent.yaml:9:34 warning: not supported yet: metric rag faithfulness; "quarterdeck test" refuses it',
      'agent.yaml:11:53 warning: not supported yet: files of type pdf; "quarterdeck test" refuses it',
    ])
  })

  it('of the agent are ignored when every case has its own', async () => {
    const { lines } = await load({
      'agent.yaml': `${simulated}evaluations: {metrics: [{metric: rouge}]}
test_cases: [{input: a, evaluations: [{metric: contains}]}]
`,
    })
    expect(lines).toEqual([])
  })
})
