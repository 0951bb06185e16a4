import { describe, expect, it } from 'vitest'
import { parseYaml } from './parse-yaml.ts'

describe('parseYaml', () => {
  const tree = parseYaml('a:\n  b: [x, {c: 1}]\n  "d e": yes\n')

  it.each([
    [['a'], 'key', 1, 1],
    [['a', 'b'], 'key', 2, 3],
    [['a', 'b'], 'value', 2, 6],
    [['a', 'b', 1, 'c'], 'value', 2, 14],
    [['a', 'd e'], 'value', 3, 10],
    [['a', 'nowhere', 'x'], 'key', 1, 1],
    [[], 'key', 1, 1],
  ] as const)('locates %j (%s) at %i:%i', (...[path, part, line, column]) => {
    expect(tree.positionOf(path, part)).toEqual({ line, column })
  })

  it('reads YAML 1.1 booleans such as yes and off as text', () => {
    expect(tree.value).toEqual({ a: { b: ['x', { c: 1 }], 'd e': 'yes' } })
    expect(parseYaml('on: off\n').value).toEqual({ on: 'off' })
  })

  it('counts the values of a large file in reasonable time', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: v`).join('\n')
    expect(parseYaml(text).problems[0]?.message).toBe('more than 20000 values')
  })

  it('reports at most twenty syntax errors', () => {
    expect(parseYaml('- !x a\n'.repeat(200)).problems).toHaveLength(20)
  })
})
