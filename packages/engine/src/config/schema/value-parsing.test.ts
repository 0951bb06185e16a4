import { describe, expect, it } from 'vitest'
import { nearestName } from '../problems/nearest-name.ts'
import { configError, formatProblem } from '../problems/problem.ts'
import { formatPath, valueAt } from '../problems/value-path.ts'
import { parseYaml } from '../yaml/parse-yaml.ts'
import { printable } from './describe-issue.ts'
import { longestDurationMs, parseDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['24d', longestDurationMs],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '0s', '5', 'h', '1 h', '-1h', '1.5h', '1w', '25d', '9999999999h', '1h!', 'never'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )
})

describe('the nearest name', () => {
  it.each([
    ['modle', 'model'],
    ['Instructions', 'instructions'],
    ['permissionMode', 'permission_mode'],
    ['max-turns', 'max_turns'],
    ['tool', 'tools'],
    ['nam', 'name'],
  ])('of %s is %s', (typed, meant) => {
    const known = ['model', 'name', 'instructions', 'permission_mode', 'max_turns', 'tools']
    expect(nearestName(typed, known)).toBe(meant)
  })

  it.each(['zebra', '', 'x'.repeat(5000)])('is nothing when nothing is near: %#', (typed) => {
    expect(nearestName(typed, ['model', 'instructions'])).toBeUndefined()
  })
})

describe('places in YAML', () => {
  const tree = parseYaml('a:\n  b: [x, {c: 1}]\n  "d e": yes\n')

  it.each([
    [['a'], 'key', 1, 1],
    [['a', 'b'], 'key', 2, 3],
    [['a', 'b'], 'value', 2, 6],
    [['a', 'b', 1, 'c'], 'value', 2, 14],
    [['a', 'd e'], 'value', 3, 10],
    [['a', 'nowhere', 'x'], 'key', 1, 1],
    [[], 'key', 1, 1],
  ] as const)('%j (%s) is at %i:%i', (...[path, part, line, column]) => {
    expect(tree.positionOf(path, part)).toEqual({ line, column })
  })

  it('keeps words YAML 1.1 took for booleans as words', () => {
    expect(tree.value).toEqual({ a: { b: ['x', { c: 1 }], 'd e': 'yes' } })
    expect(parseYaml('on: off\n').value).toEqual({ on: 'off' })
  })

  it('reads many keys in reasonable time, and counts them', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: v`).join('\n')
    expect(parseYaml(text).problems[0]?.message).toBe('more than 20000 values')
  })

  it('reports no more syntax errors than a person reads', () => {
    expect(parseYaml('- !x a\n'.repeat(200)).problems).toHaveLength(20)
  })
})

describe('a problem', () => {
  const problem = {
    severity: 'error',
    code: 'config.invalid',
    message: 'wrong',
    file: '/p/a/agent.yaml',
    line: 4,
    column: 3,
    path: 'x',
  } as const

  it('is shown from where the person stands', () => {
    expect(formatProblem(problem, '/p')).toBe('a/agent.yaml:4:3 error: wrong')
    expect(formatProblem({ ...problem, suggestion: 'y' }, '/q')).toBe(
      '/p/a/agent.yaml:4:3 error: wrong. Did you mean "y"?',
    )
  })

  it('becomes an error of its own kind only when all are of that kind', () => {
    const unsupported = { ...problem, code: 'config.unsupported' } as const
    const warning = { ...problem, severity: 'warning' } as const
    expect(configError([unsupported, warning, unsupported], '/p').code).toBe('config.unsupported')
    expect(configError([unsupported, problem], '/p').code).toBe('config.invalid')
    expect(configError([unsupported, warning], '/p').facts).toEqual({ problems: [unsupported] })
  })
})

it('paths read as people write them', () => {
  expect(formatPath(['claude', 'agents', 'a', 'tools', 0])).toBe('claude.agents.a.tools[0]')
  expect(formatPath([])).toBe('')
  expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
  expect(valueAt({ a: 1 }, ['toString'])).toBeUndefined()
})

it('what came from a file cannot steer a terminal', () => {
  expect(printable('a\u001b[31mred\u202e\nb')).toBe('a·[31mred··b')
  expect(printable('x'.repeat(100))).toHaveLength(58)
})
