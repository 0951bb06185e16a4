import { describe, expect, it } from 'vitest'
import { allowsMore, formatRule, PermissionMode, PermissionRule, parseRule } from './tool-permissions.ts'

describe('allowsMore', () => {
  it('orders the modes from planning over asking to accepting, and no mode allows more than itself', () => {
    const modes = ['plan', 'manual', 'acceptEdits', 'acceptAll'] as const
    modes.forEach((wanted, place) => {
      expect(modes.filter((allowed) => allowsMore(wanted, allowed))).toEqual(modes.slice(0, place))
    })
    expect([...modes].sort()).toEqual([...PermissionMode.options].sort())
  })
})

describe('parseRule', () => {
  it.each([
    ['Bash', { tool: 'Bash', pattern: null }],
    ['  Read ', { tool: 'Read', pattern: null }],
    ['Bash(npm test *)', { tool: 'Bash', pattern: 'npm test *' }],
    ['Bash(echo (a) (b))', { tool: 'Bash', pattern: 'echo (a) (b)' }],
    ['Bash(a\nb)', { tool: 'Bash', pattern: 'a\nb' }],
    ['mcp__db__*', { tool: 'mcp__db__*', pattern: null }],
    ['Write(src/*.ts)', { tool: 'Write', pattern: 'src/*.ts' }],
  ])('parses %j', (text, rule) => {
    expect(parseRule(text)).toEqual(rule)
  })

  it.each(['', '()', 'Bash()', 'Bash(', 'Bash)', '(x)', 'Bash (x)', 'Bash(x) y', 'a b', 'Bash;'])(
    'rejects %j',
    (text) => {
      expect(parseRule(text)).toBeUndefined()
    },
  )

  it('parses the output of formatRule', () => {
    for (const pattern of [null, '*', 'a', ') (', '((', ' x ', 'echo \\* \\\\', '\n', "it's"]) {
      const rule = PermissionRule.parse({ tool: 'Bash', pattern })
      expect(parseRule(formatRule(rule))).toEqual(rule)
    }
  })
})
